"""Names: is there one that ROCm's way reads and only NVIDIA's way binds?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rewarp.project.gates import ROCM
from rewarp.project.gates.bound import unbound
from rewarp.verify.choices.view import View, walk

_BINDERS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.arg, ast.Name)
_NVIDIAS = re.compile(
    r"(?i)cuda|nvidia|cutlass|flashinfer|trtllm|tensorrt|marlin|hopper|blackwell|sm\d\d|deep_?gemm|nvfp4|xpu|npu|hpu|cpu"
)
"""Functions that their names keep for others: who calls them asks first."""


def unbound_names(view: View) -> Iterator[tuple[ast.expr, str]]:
    only = _only_on_nvidia(view)
    there = unbound(view.document, ROCM, view.modules) if only else []
    reads = {(name.id, name.lineno): name for name in view.document.nodes(ast.Name) if isinstance(name.ctx, ast.Load)}
    for found in there:
        node = reads.get((found.name, found.line))
        if found.name not in only or node is None or _NVIDIAS.search(found.scope) or not view.on_rocm(node):
            continue
        if not view.document.caught(node, "NameError"):
            yield node, f"{found.name} is read here, and nothing binds it on ROCm"


def _only_on_nvidia(view: View) -> set[str]:
    """Names that NVIDIA's branches bind, and nothing else that ROCm comes to."""
    # What a library's test of availability imports is read where somebody has asked for the library.
    forks = [fork for fork in view.forks if not _asks_for_library(view, fork[0].test)]
    sides = [node for _, _, nvidias in forks for node in walk(nvidias)]
    names = {name for node in sides for name in _bound(node)}
    if not names:
        return names
    everywhere = (node for kind in _BINDERS for node in view.document.nodes(kind))
    return names - {name for node in everywhere for name in _bound(node) if name in names and view.on_rocm(node)}


_AVAILABLE = re.compile(
    r"(?i)_*(?:is|has|have)_\w+?_(?:available|installed|importable)_*|_*has_(?!cuda|hip|rocm|gpu)\w+"
)
_PLATFORMS = re.compile(r"(?i)(?:^|_)(?:cuda|rocm|hip|gpu|nvidia|amd)(?:_|$)")


def _asks_for_library(view: View, test: ast.expr) -> bool:
    """``if is_flash_attn_available():`` asks for a library, however that is found out; ``if is_cuda_available():`` for a platform."""
    names = [
        view.document.raw(node).rpartition(".")[2]
        for node in ast.walk(test)
        if isinstance(node, (ast.Name, ast.Attribute))
    ]
    return any(_AVAILABLE.fullmatch(name) and not _PLATFORMS.search(name) for name in names)


def _bound(node: ast.AST) -> list[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []
