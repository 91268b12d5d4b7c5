"""The call graph of Python code, for call flow: branches that are dead on a platform are not followed."""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rewarp.lang import parsers
from rewarp.lang.python_names import PythonNames
from rewarp.parity.call_graph import Edge, Graph, Step
from rewarp.parity.python import is_wanted
from rewarp.parity.python.reading.facts import dotted, owner_of
from rewarp.parity.python.reading.platforms import Platforms
from rewarp.parity.units import Place
from rewarp.source import SourceFile

_DEF = re.compile(rb"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)", re.M)
_OPS = re.compile(r"torch\.ops\.\w+\.\w+(\.\w+)?|(\w+\.)*_C(_\w+)?\.\w+")
FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef)


class Found(NamedTuple):
    """A function of the project."""

    path: str
    owner: str
    """Its class, if any."""
    node: ast.FunctionDef | ast.AsyncFunctionDef

    @property
    def title(self) -> str:
        return f"{self.owner}.{self.node.name}" if self.owner else self.node.name


def graphs(files: Mapping[str, bytes], a: str, b: str) -> tuple[Graph, Graph]:
    sources = Sources({path: data for path, data in files.items() if is_wanted(path)})
    return PythonGraph(sources, a), PythonGraph(sources, b)


class Sources:
    """The project's functions by name; a file is parsed when one of its functions is asked for."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.defined: dict[str, list[str]] = defaultdict(list)
        self._functions: dict[str, list[Found]] = {}
        self._trees: dict[str, ast.Module] = {}
        self._platforms: dict[str, Platforms] = {}
        self._bases: dict[tuple[str, str], list[str]] = {}
        for path, data in files.items():
            for name in dict.fromkeys(_DEF.findall(data)):
                self.defined[name.decode()].append(path)

    def named(self, name: str) -> list[Found]:
        return [found for path in self.defined.get(name, ()) for found in self.of(path) if found.node.name == name]

    def above(self, path: str, name: str) -> set[str]:
        """The names of the classes that a class derives from, as far as the file itself says."""
        self.of(path)
        found: set[str] = set()
        todo = [name]
        while todo:
            for base in self._bases.get((path, todo.pop()), ()):
                if base not in found:
                    found.add(base)
                    todo.append(base)
        return found

    def of(self, path: str) -> list[Found]:
        if path not in self._functions:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = parsers.python(self.files[path])
            except (SyntaxError, ValueError):
                self._functions[path] = []
            else:
                self._functions[path] = list(_functions(path, tree, ""))
                self._trees[path] = tree
                for node in ast.walk(tree):
                    if isinstance(node, ast.ClassDef):
                        self._bases[path, node.name] = [dotted(base).rpartition(".")[2] for base in node.bases]
        return self._functions[path]

    def platforms(self, path: str) -> Platforms:
        """What the conditions of a file are; for one whose functions were found."""
        if path not in self._platforms:
            document = PythonNames(SourceFile(path, self.files[path]), self._trees[path])
            self._platforms[path] = Platforms(document)
        return self._platforms[path]


def _functions(path: str, node: ast.AST, owner: str) -> Iterator[Found]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FunctionNode):
            yield Found(path, owner, child)
        elif isinstance(child, ast.ClassDef):
            yield from _functions(path, child, child.name)
        elif isinstance(child, (ast.If, ast.Try, ast.With)):
            yield from _functions(path, child, owner)


class PythonGraph:
    def __init__(self, sources: Sources, backend: str) -> None:
        self.sources, self.backend = sources, backend

    def names(self) -> Iterable[str]:
        return self.sources.defined

    def entries(self, name: str) -> list[Step]:
        owner, _, own = name.replace("::", ".").rpartition(".")
        owner = owner.rpartition(".")[2]
        named = self.sources.named(own)
        found = [item for item in named if not owner or item.owner == owner]
        derived = [item for item in named if owner and owner in self.sources.above(item.path, item.owner)]
        mine = [item for item in derived if owner_of(item.path, item.owner) == self.backend]
        if mine and all(owner_of(item.path, item.owner) is None for item in found):
            # A base class was named: what the back end's own classes do is meant, those below before those above.
            inner = {base for item in mine for base in self.sources.above(item.path, item.owner)}
            found = [item for item in mine if item.owner not in inner]
        return [self._step(Edge.RESOLVED, item, Place(item.path, item.node.lineno, item.title)) for item in found]

    def _step(self, edge: Edge, item: Found, call: Place) -> Step:
        owner = owner_of(item.path, item.owner or item.node.name)
        return Step(item.title, edge, call, Place(item.path, item.node.lineno, item.title), owner, item)

    def callees(self, step: Step) -> list[Step]:
        found: list[Step] = []
        item: Found = step.what
        for call in self._calls(item):
            name = dotted(call.func)
            last = name.rpartition(".")[2]
            if not last or _is_kernel_launch(call) or _OPS.fullmatch(name):
                continue
            place = Place(item.path, call.lineno, name)
            candidates = self._meant(item, name, last)
            if not candidates:
                found.append(Step(name, Edge.EXTERNAL, place, None, None))
                continue
            sure = len(candidates) == 1 and (name in (last, f"self.{last}", f"cls.{last}"))
            found.append(self._step(Edge.RESOLVED if sure else Edge.GUESSED, candidates[0], place))
        return found

    def _meant(self, item: Found, name: str, last: str) -> list[Found]:
        """The functions that a call may mean: of the class, of the file, then by name, never the other platforms'."""
        named = self.sources.named(last)
        if name in (f"self.{last}", f"cls.{last}"):
            own = [found for found in named if found.path == item.path and found.owner == item.owner]
            if own:
                return own
        elif name == last:
            same = [found for found in named if found.path == item.path and not found.owner]
            if same:
                return same
            named = [found for found in named if not found.owner]
        mine = [found for found in named if owner_of(found.path, found.owner) == self.backend]
        shared = [found for found in named if owner_of(found.path, found.owner) is None]
        chosen = mine or shared
        return chosen if len(chosen) <= 3 else []

    def _calls(self, item: Found) -> Iterator[ast.Call]:
        todo: list[ast.AST] = list(reversed(item.node.body))
        platforms = self.sources.platforms(item.path)
        while todo:
            node = todo.pop()
            if isinstance(node, (ast.If, ast.IfExp)):
                truth = platforms.truth(self.backend, node.test)
                body = node.body if isinstance(node.body, list) else [node.body]
                orelse = node.orelse if isinstance(node.orelse, list) else [node.orelse]
                kept = [*(body if truth is not False else []), *(orelse if truth is not True else [])]
                todo += [*reversed(kept), node.test]
                continue
            if isinstance(node, (*FunctionNode, ast.ClassDef)):
                continue
            if isinstance(node, ast.Call):
                yield node
            todo += reversed(list(ast.iter_child_nodes(node)))

    def kernels(self, step: Step) -> list[tuple[str, Place]]:
        item: Found = step.what
        found: list[tuple[str, Place]] = []
        for call in self._calls(item):
            name = dotted(call.func)
            if _is_kernel_launch(call) or _OPS.fullmatch(name):
                found.append((name, Place(item.path, call.lineno, ast.unparse(call)[:120])))
        return found


def _is_kernel_launch(call: ast.Call) -> bool:
    """`kernel[grid](…)`: a Triton or Numba launch."""
    if not isinstance(call.func, ast.Subscript):
        return False
    index = call.func.slice
    return isinstance(index, (ast.Tuple, ast.Lambda)) or "grid" in ast.unparse(index)
