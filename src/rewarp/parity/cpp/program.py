"""The C++ of one back end: its own files, and what no back end owns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from rewarp.errors import UnreadableSource
from rewarp.parity.backends import backend_of, words
from rewarp.parity.cpp.declarations import Class, CppFile, Function, Table
from rewarp.parity.cpp.reader import Readings, read_file
from rewarp.parity.cpp.statements import Block, parse
from rewarp.parity.cpp.tokens import Macro, Tokens, macros_of
from rewarp.parity.kernels import Inventory
from rewarp.parity.model import Problem
from rewarp.project.role_names import is_aside

SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".hip", ".inl", ".m", ".mm")
_CONTROL = re.compile(r"\b(if|else|return|for|while|switch|case)\b")
_NAMES_ONE = re.compile(b"|".join(sorted(word.encode() for word in words() if len(word) > 2)), re.I)
_INTERFACE = re.compile(rb"\bvirtual\b|\boverride\b")


def owner_of_path(path: str) -> str | None:
    """The back end whose file this is: the nearest part of its path that names one."""
    for part in reversed(path.split("/")):
        found = backend_of(part)
        if found:
            return found
    return None


def is_wanted(path: str) -> bool:
    return path.lower().endswith(SUFFIXES) and not is_aside(path)


def is_embedded(data: bytes) -> bool:
    """Whether a source is only a compiled kernel written as numbers."""
    return len(data) > 100_000 and data.count(b"0x") * 12 > len(data)


class Taken:
    """Of another back end's code what this one compiles: the sources that its build names, and what lies around them."""

    def __init__(self, files: frozenset[str]) -> None:
        self._files = files
        self._folders = {path[:at] for path in files for at in range(len(path)) if path[at] == "/"}

    def takes(self, path: str) -> bool:
        """Whether a source is named, or a header or host source stands in a back end's folder with one that is."""
        return path in self._files if path.endswith(".cu") else _root(path) in self._folders


def _root(path: str) -> str:
    """The folder that says whose a file is; its own, where only its name does."""
    parts = path.split("/")
    naming = next((at for at in range(len(parts) - 2, -1, -1) if backend_of(parts[at])), len(parts) - 2)
    return "/".join(parts[: naming + 1])


class Program:
    """Everything that one back end compiles, as far as names and folders tell."""

    def __init__(
        self,
        files: Mapping[str, bytes],
        backend: str,
        inventory: Inventory | None = None,
        readings: Readings | None = None,
    ) -> None:
        self.backend = backend
        self.shares = inventory.shared_with if inventory else None
        self._shared = Taken(inventory.shared_files if inventory else frozenset())
        self.problems: list[Problem] = []
        self.files: list[CppFile] = []
        self.settled: dict[Any, Any] = {}
        """Calls whose end is known, kept by whoever evaluates."""
        self.too_large: dict[int, int] = {}
        """Functions that take too long to follow, and from how many calls down."""
        self._parsed: dict[tuple[int, tuple[int, int]], Block] = {}
        self._expanded: dict[str, Function | None] = {}
        macros, readings = macros_of(backend), readings or Readings()
        own = {path for path in files if is_wanted(path) and self.owns(path)}
        above = {path[:at] for path in own for at in range(len(path)) if path[at] == "/"} | {""} if own else set()
        for path in sorted(files):
            if path in own and is_embedded(files[path]):
                self.problems.append(Problem(path, 1, "a binary written as numbers: what it holds is not known"))
            elif path in own or self._is_common(path, files[path], above):
                try:
                    file = readings.read(path, files[path], macros)
                except UnreadableSource as error:
                    self.problems.append(Problem(path, 1, f"could not be read: {error.reason}"))
                    continue
                self.files.append(file)
                self._check(file)

    @staticmethod
    def _is_common(path: str, data: bytes, above: set[str]) -> bool:
        """Whether a file that no back end owns matters to one: it lies above its code, or declares an interface."""
        if not is_wanted(path) or owner_of_path(path) is not None:
            return False
        if path.rpartition("/")[0] in above:
            return True
        named = path.lower().endswith((".h", ".hh", ".hpp", ".hxx", ".cuh")) or bool(_NAMES_ONE.search(data))
        return named and bool(_INTERFACE.search(data))

    def _check(self, file: CppFile) -> None:
        tokens = file.tokens
        if tokens.unmatched is not None:
            mine = self.owns(file.path)
            what = f"`{tokens.list[tokens.unmatched]}` has no partner for {self.backend}: nothing after it is sure"
            self.problems.append(Problem(file.path, tokens.line(tokens.unmatched), what, blocks_score=mine))

    def owns(self, path: str, name: str = "") -> bool:
        """Whether code is this back end's own; shared sources are."""
        owner = backend_of(name) if name else None
        owner = owner or owner_of_path(path)
        if owner is None or owner == self.backend:
            return owner is not None
        return owner == self.shares and self._shared.takes(path)

    @cached_property
    def by_name(self) -> Mapping[str, list[Function]]:
        """Functions with a body."""
        found: dict[str, list[Function]] = defaultdict(list)
        for file in self.files:
            for function in file.functions:
                if function.body is not None:
                    found[function.name].append(function)
        return found

    @cached_property
    def classes(self) -> Mapping[str, list[Class]]:
        found: dict[str, list[Class]] = defaultdict(list)
        for file in self.files:
            for item in file.classes:
                found[item.name].append(item)
        return found

    @cached_property
    def macros(self) -> Mapping[str, tuple[CppFile, Macro]]:
        """Macros with parameters; of one that is defined twice, the first."""
        found: dict[str, tuple[CppFile, Macro]] = {}
        for file in self.files:
            for name, macro in file.tokens.defined.items():
                found.setdefault(name, (file, macro))
        return found

    @cached_property
    def branching(self) -> frozenset[str]:
        """Macros that hide control flow."""
        return frozenset(name for name, (_, macro) in self.macros.items() if _CONTROL.search(macro.body))

    def returns(self, macro: str) -> bool:
        """Whether a macro may leave the function that it stands in."""
        return macro in self.branching and bool(re.search(r"\breturn\b", self.macros[macro][1].body))

    def macro(self, name: str) -> Function | None:
        """A macro as if it were a function."""
        if name not in self.macros:
            return None
        if name not in self._expanded:
            file, macro = self.macros[name]
            above = "\n" * (file.tokens.source.line_at(macro.at) - 1)
            text = f"{above}void {name}({macro.parameters}) {{{macro.body};}}"
            read = read_file(file.path, text.encode("latin-1", "replace"), lambda _: None)
            self._expanded[name] = next((item for item in read.functions if item.name == name and item.body), None)
        return self._expanded[name]

    @property
    def tables(self) -> Iterable[Table]:
        return (table for file in self.files for table in file.tables)

    @property
    def functions(self) -> Iterable[Function]:
        return (function for candidates in self.by_name.values() for function in candidates)

    def statements(self, function: Function) -> Block:
        assert function.body is not None
        return self.block(function.tokens, function.body)

    def block(self, tokens: Tokens, body: tuple[int, int]) -> Block:
        """The statements between two tokens of a file."""
        key = (id(tokens), body)
        if key not in self._parsed:
            self._parsed[key] = parse(tokens, body, self.branching)
        return self._parsed[key]

    def resolve(self, name: str, caller_path: str, arguments: int | None = None) -> list[Function]:
        """The definitions that a call may mean: those of the same file, then the back end's own, then any."""
        found = self.by_name.get(name, [])
        if arguments is not None and len(found) > 1:
            fitting = [function for function in found if len(function.parameters) >= arguments]
            found = fitting or found
        for nearer in (
            [function for function in found if function.path == caller_path],
            [function for function in found if self.owns(function.path, function.name)],
        ):
            if nearer:
                return nearer
        return found
