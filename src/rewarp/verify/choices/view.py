"""One Python file of the tree, with what both platforms make of it."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache

from rewarp.lang.python import PythonFile
from rewarp.project.gates import NVIDIA, ROCM, Evaluator, Reach
from rewarp.project.gates.values import Value
from rewarp.project.modules import PythonModules
from rewarp.project.sides import is_for_amd
from rewarp.workspace import Tree

_NVIDIA_ON_LINUX = replace(NVIDIA, posix=True)
"""Beside ROCm: what Windows alone comes to is neither's."""
_GPU = {"torch.cuda.is_available()": Value.of(True, True)}
_CONCERNS = re.compile(rb"(?i)rocm|hip|cuda|gfx\d|fnuz")
_DEEPEST = 4
"""Names for names that are looked at."""
Side = list[ast.AST]
"""What a branch holds: statements, or one expression."""


class View:
    def __init__(self, document: PythonFile, modules: PythonModules) -> None:
        self.document = document
        self.modules = modules
        self.path = document.source.path
        self.rocm, self.nvidia = (Evaluator(document, platform, modules) for platform in (ROCM, _NVIDIA_ON_LINUX))
        self.rocm_gpu, self.nvidia_gpu = (
            Evaluator(document, replace(one, title=f"{one.title} with a GPU", paths={**one.paths, **_GPU}), modules)
            for one in (ROCM, _NVIDIA_ON_LINUX)
        )
        """The same, on a machine that has a GPU of that platform."""
        self._reaches = [Reach(document, platform, modules) for platform in (ROCM, _NVIDIA_ON_LINUX)]

    def on_rocm(self, node: ast.AST) -> bool:
        """Whether ROCm may come here."""
        return not self._reaches[0].unreachable(node)

    def on_nvidia(self, node: ast.AST) -> bool:
        return not self._reaches[1].unreachable(node)

    def is_arch_name(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether an expression is the whole of gcnArchName, "gfx942:sramecc+:xnack-", or a name that holds nothing else but
        constants."""
        if isinstance(node, ast.Attribute) and node.attr == "gcnArchName":
            return True
        if not isinstance(node, ast.Name) or depth > _DEEPEST:
            return (self.document.path(node) or "").endswith(".gcnArchName")
        values = [value for value in self.document.given(node) if not isinstance(value, ast.Constant)]
        return bool(values) and all(self.is_arch_name(value, depth + 1) for value in values)

    def amd_defines(self, name: str) -> bool:
        """Whether another Python file, AMD's by its name, defines a method of this name."""
        return not is_for_amd(posixpath.basename(self.path)) and name in methods_for_amd(self.modules.tree)

    @cached_property
    def forks(self) -> list[tuple[ast.If | ast.IfExp, Side, Side]]:
        """Conditions that come out differently: the branch that ROCm takes, and the one that NVIDIA takes."""
        found = []
        for node in (*self.document.nodes(ast.IfExp), *self.document.nodes(ast.If)):
            truth = self.rocm.truth(node.test)
            if truth is None or self.nvidia.truth(node.test) is not (not truth):
                continue
            if self.on_rocm(node) and self.on_nvidia(node):
                sides = branches(self.document, node)
                found.append((node, sides[truth], sides[not truth]))
        return found


_METHOD = re.compile(rb"^[ \t]+(?:async[ \t]+)?def[ \t]+(\w+)", re.M)


@lru_cache(maxsize=2)
def methods_for_amd(tree: Tree) -> frozenset[str]:
    """The methods that Python files for AMD define: what a class has in general does not come into play there."""
    paths = (path for path in tree.files() if path.endswith(".py") and is_for_amd(posixpath.basename(path)))
    return frozenset(name.decode() for path in paths for name in _METHOD.findall(tree.read(path) or b""))


def branches(document: PythonFile, node: ast.If | ast.IfExp) -> tuple[Side, Side]:
    """What follows where the test fails, and where it holds. Behind an ``if`` that leaves, the rest of the block is its else."""
    if isinstance(node, ast.IfExp):
        return [node.orelse], [node.body]
    otherwise: Side = list(node.orelse)
    if not otherwise and isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Continue)):
        parent = document.parent(node)
        block = next((b for b in _blocks(parent) if node in b), [])
        otherwise = list(block[block.index(node) + 1 :]) if node in block else []
    return otherwise, list(node.body)


def _blocks(parent: ast.AST | None) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list):
            yield block


def walk(side: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for part in side:
        yield from ast.walk(part)


def views(tree: Tree, paths: Iterable[str]) -> Iterator[View]:
    """Those of the files that can have a choice at all."""
    modules = PythonModules(tree)
    for path in paths:
        data = tree.read(path) or b""
        document = modules.document(path) if _CONCERNS.search(data) else None
        if document is not None:
            yield View(document, modules)


def asks_for_fnuz(document: PythonFile, test: ast.expr) -> bool | None:
    """Whether a condition asks for fnuz, or that it is not; None where it asks for something else as well."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        asked = asks_for_fnuz(document, test.operand)
        return None if asked is None else not asked
    if isinstance(test, ast.Call):
        test = test.func
    name = document.raw(test).rpartition(".")[2]
    return True if re.search(r"(?i)(?:^|_)(?:is|supports?|use|has|uses)_\w*fnuz\w*", name) else None
