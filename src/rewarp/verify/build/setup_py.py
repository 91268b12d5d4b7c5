"""Flags in setup.py: the extensions it declares, read from its syntax tree. It is never run."""

from __future__ import annotations

import ast
import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rewarp.errors import RewarpError
from rewarp.lang.python import parse
from rewarp.source import SourceFile
from rewarp.verify.build.flags import Flags, read_flags

_EXTENSIONS = ("CUDAExtension", "CppExtension", "HIPExtension", "Extension", "load")
_DEEPEST = 30
_PARTS = 4
_MOST_STEPS = 200_000
"""Of the evaluation of one value: names that stand for each other many times over have no end."""


class _Unknown(Exception):
    """A value that only running the file would tell."""


_NOT_READ = (_Unknown, TypeError, ValueError, IndexError, OSError)
"""What reading a value can end in: code that makes no sense to us is no error of ours."""


def read_setup(file: Path) -> dict[Path, Flags]:
    """The flags of each source that a setup.py, or a file like it, compiles."""
    try:
        tree = parse(SourceFile(file.name, file.read_bytes())).tree
    except (OSError, RewarpError):
        return {}
    values = _Values(tree, file)
    found: dict[Path, Flags] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node).rpartition(".")[2] in _EXTENSIONS:
            flags = _extension_flags(node, values, file.parent)
            for source in _sources(node, values):
                found.setdefault(Path(os.path.normpath(file.parent / source)), flags)
    return found


def _called(node: ast.Call) -> str:
    """The end of the dotted name that is called: no more of it is asked for, and it may be as long as the file."""
    parts: list[str] = []
    at: ast.expr = node.func
    while isinstance(at, ast.Attribute) and len(parts) < _PARTS:
        parts.append(at.attr)
        at = at.value
    if not parts and not isinstance(at, ast.Name):
        return ""
    parts.append(at.id if isinstance(at, ast.Name) else "…")
    return ".".join(reversed(parts))


def _keyword(node: ast.Call, *names: str) -> ast.expr | None:
    return next((item.value for item in node.keywords if item.arg in names), None)


def _sources(node: ast.Call, values: _Values) -> list[str]:
    given = _keyword(node, "sources") or (node.args[1] if len(node.args) > 1 else None)
    return [text for text in values.items(given) if isinstance(text, str)]


def _extension_flags(node: ast.Call, values: _Values, folder: Path) -> Flags:
    words = [f"-I{path}" for path in values.items(_keyword(node, "include_dirs", "extra_include_paths"))]
    for macro in values.items(_keyword(node, "define_macros")):
        if isinstance(macro, (tuple, list)) and len(macro) == 2 and isinstance(macro[0], str):
            words.append(f"-D{macro[0]}" if macro[1] is None else f"-D{macro[0]}={macro[1]}")
    arguments = _keyword(node, "extra_compile_args", "extra_cuda_cflags")
    given = values.mapping(arguments)
    chosen = values.items(given.get("nvcc") or given.get("hipcc")) if given else values.items(arguments)
    words += [word for word in chosen if isinstance(word, str)]
    flags = read_flags(words, folder)
    undecided = tuple(f"-D{name}" for name in values.undecided(_keyword(node, "define_macros")))
    return Flags(flags.includes, flags.forced, flags.options, undecided=undecided)


class _Values:
    """What names in the file stand for, as far as its text says so."""

    def __init__(self, tree: ast.Module, file: Path) -> None:
        self.file = file
        self.assigned: dict[str, ast.expr] = {}
        self.added: dict[str, list[tuple[ast.expr, bool]]] = {}
        self._steps = 0
        self._read(tree.body)

    def _read(self, body: Sequence[ast.stmt]) -> None:
        waiting = [(statement, True) for statement in reversed(body)]
        while waiting:
            statement, sure = waiting.pop()
            self._read_statement(statement, sure)
            if isinstance(statement, ast.ClassDef):
                continue
            sure = sure and isinstance(statement, (ast.FunctionDef, ast.With))
            for name in ("finalbody", "orelse", "body"):
                waiting += [(inner, sure) for inner in reversed(getattr(statement, name, ()))]

    def _read_statement(self, node: ast.stmt, sure: bool) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    if sure or target.id not in self.assigned:
                        self.assigned[target.id] = node.value
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = zip(target.elts, node.value.elts)
                    self.assigned.update({name.id: value for name, value in pairs if isinstance(name, ast.Name)})
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self.added.setdefault(node.target.id, []).append((node.value, sure))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and call.args:
                if call.func.attr in ("append", "extend"):
                    one = call.func.attr == "append"
                    item = ast.List([call.args[0]], ast.Load()) if one else call.args[0]
                    self.added.setdefault(call.func.value.id, []).append((item, sure))

    # --- what is asked for ---------------------------------------------------------

    def items(self, node: ast.expr | None) -> list[Any]:
        """The members of a list; those that are not known are left out."""
        self._steps = 0
        try:
            value = self._value(node, {}, 0) if node else []
        except _NOT_READ:
            return []
        return [item for item in value if item is not _UNKNOWN] if isinstance(value, (list, tuple)) else []

    def mapping(self, node: ast.expr | None) -> dict[str, ast.expr]:
        seen: set[str] = set()
        while isinstance(node, ast.Name) and node.id in self.assigned and node.id not in seen:
            seen.add(node.id)
            node = self.assigned[node.id]
        if not isinstance(node, ast.Dict):
            return {}
        pairs = zip(node.keys, node.values)
        return {
            key.value: value for key, value in pairs if isinstance(key, ast.Constant) and isinstance(key.value, str)
        }

    def undecided(self, node: ast.expr | None) -> list[str]:
        """Macros that are added under a condition."""
        if not isinstance(node, ast.Name):
            return []
        added = [self.items(value) for value, sure in self.added.get(node.id, ()) if not sure]
        return [str(item[0]) for items in added for item in items if isinstance(item, tuple) and item]

    # --- evaluation ----------------------------------------------------------------

    def _value(self, node: ast.expr, local: dict[str, Any], depth: int) -> Any:
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            raise _Unknown
        if isinstance(node, ast.Constant):
            self._steps += len(node.value) // 64 if isinstance(node.value, str) else 0
            return node.value
        if isinstance(node, ast.Name):
            return self._named(node.id, local, depth)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            members = self._members(node.elts, local, depth)
            return tuple(members) if isinstance(node, ast.Tuple) else members
        if isinstance(node, ast.JoinedStr):
            return "".join(str(self._value(_inner(part), local, depth + 1)) for part in node.values)
        if isinstance(node, ast.BinOp):
            return self._joined(node, local, depth)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and len(node.generators) == 1:
            return self._comprehension(node, local, depth)
        if isinstance(node, ast.Call):
            return self._call(node, local, depth)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, local, depth)
        raise _Unknown

    def _named(self, name: str, local: dict[str, Any], depth: int) -> Any:
        if name in local:
            return local[name]
        if name == "__file__":
            return str(self.file)
        if name not in self.assigned:
            raise _Unknown
        value = self._value(self.assigned[name], {}, depth + 1)
        if isinstance(value, list) and name in self.added:
            value = list(value)
            for more, sure in self.added[name]:
                value += self._additions(more, sure, depth)
        return value

    def _additions(self, more: ast.expr, sure: bool, depth: int) -> list[Any]:
        try:
            added = self._value(more, {}, depth + 1)
        except _NOT_READ:
            return []
        if not isinstance(added, (list, tuple)):
            return []
        # A macro under a condition would change what the code means; a source or a folder does not.
        return [item for item in added if sure or not _is_macro(item)]

    def _members(self, nodes: Iterable[ast.expr], local: dict[str, Any], depth: int) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            try:
                if isinstance(node, ast.Starred):
                    found += list(self._value(node.value, local, depth + 1))
                else:
                    found.append(self._value(node, local, depth + 1))
            except _NOT_READ:
                found.append(_UNKNOWN)
        return found

    def _joined(self, node: ast.BinOp, local: dict[str, Any], depth: int) -> Any:
        left, right = (self._members_of(side, local, depth) for side in (node.left, node.right))
        if isinstance(node.op, ast.Add):
            if type(left) is type(right) and isinstance(left, (str, list, tuple)):
                return left + right
            if _UNKNOWN in (left, right) and isinstance(left if right is _UNKNOWN else right, list):
                return left if right is _UNKNOWN else right
        if isinstance(node.op, ast.Div) and isinstance(left, str) and isinstance(right, str):
            return os.path.join(left, right)
        raise _Unknown

    def _members_of(self, node: ast.expr, local: dict[str, Any], depth: int) -> Any:
        """A side of a sum; a list that is not known adds nothing to one that is."""
        try:
            return self._value(node, local, depth + 1)
        except _NOT_READ:
            return _UNKNOWN

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, local: dict[str, Any], depth: int) -> list[Any]:
        (loop,) = node.generators
        items = self._value(loop.iter, local, depth + 1)
        if not isinstance(loop.target, ast.Name) or loop.ifs or not isinstance(items, (list, tuple)):
            raise _Unknown
        known = (item for item in items if item is not _UNKNOWN)
        return [self._value(node.elt, {**local, loop.target.id: item}, depth + 1) for item in known]

    def _call(self, node: ast.Call, local: dict[str, Any], depth: int) -> Any:
        name = _called(node)
        arguments = [self._value(argument, local, depth + 1) for argument in node.args]
        if name.endswith("path.join"):
            return os.path.join(*map(str, arguments))
        if name.endswith(("path.abspath", "path.realpath", "path.normpath")) or name in ("str", "Path", "pathlib.Path"):
            return str(arguments[0]) if len(arguments) == 1 else os.path.join(*map(str, arguments))
        if name.endswith("path.dirname"):
            return os.path.dirname(arguments[0])
        if name in ("glob.glob", "glob", "glob.iglob"):
            return sorted(glob.glob(os.path.join(self.file.parent, arguments[0]), recursive="**" in arguments[0]))
        if name in ("list", "sorted", "tuple"):
            return list(arguments[0])
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if method in ("resolve", "absolute", "as_posix") and isinstance(node.func, ast.Attribute):
            return self._value(node.func.value, local, depth + 1)
        if method in ("glob", "rglob") and isinstance(node.func, ast.Attribute):
            base = Path(self.file.parent, self._value(node.func.value, local, depth + 1))
            return sorted(map(str, getattr(base, method)(arguments[0])))
        if len(arguments) == 1 and isinstance(arguments[0], list) and isinstance(node.func, ast.Name):
            return arguments[0]  # a function of the file that adds to a list, or drops from it
        raise _Unknown

    def _attribute(self, node: ast.Attribute, local: dict[str, Any], depth: int) -> Any:
        if node.attr == "parent":
            return os.path.dirname(self._value(node.value, local, depth + 1))
        raise _Unknown


_UNKNOWN = object()


def _inner(part: ast.expr) -> ast.expr:
    return part.value if isinstance(part, ast.FormattedValue) else part


def _is_macro(item: Any) -> bool:
    return isinstance(item, tuple) or (isinstance(item, str) and item.startswith("-D"))
