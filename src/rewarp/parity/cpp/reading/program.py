"""The C++ of one back end: its own files, and what no back end owns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from rewarp.errors import UnreadableSource
from rewarp.lang.cpp.lexer import CONDITION_LINE
from rewarp.parity import deadline
from rewarp.parity.cpp.reading.declarations import Class, CppFile, Function, Table
from rewarp.parity.cpp.reading.expansion import Defined, Expander, invocations, opens
from rewarp.parity.cpp.reading.reader import Readings, read_file
from rewarp.parity.cpp.reading.statements import Block, parse, text_is_macro
from rewarp.parity.cpp.reading.tokens import Tokens, macros_of
from rewarp.parity.kernels import Inventory
from rewarp.parity.kernels.sharing import DONOR, TAKERS
from rewarp.parity.kernels.sources import names_backend
from rewarp.parity.names.backends import backend_of, words
from rewarp.parity.units import Problem
from rewarp.project.role_names import is_aside

SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".hip", ".inl", ".m", ".mm")
_CONTROL = re.compile(r"\b(if|else|return|for|while|switch|case)\b")
_NAMES_ONE = re.compile(b"|".join(sorted(word.encode() for word in words() if len(word) > 2)), re.I)
_REGISTERING = re.compile(rb"^[ \t]*(\w*REGISTER\w*|\w+_KERNEL_EX|TORCH_LIBRARY_IMPL)\(", re.M)
_NEGATED = re.compile(rb"!\s*(?:defined\b)?\s*\(?\s*\w+")
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


def _has_arm(path: str, data: bytes, backend: str) -> bool:
    """Whether a source of CUDA's, by its name, has code for another back end: `#elif USING_ROCM` in `CudaOps.cc`."""
    if backend not in TAKERS or owner_of_path(path) != DONOR:
        return False
    tests = (test for test in CONDITION_LINE.finditer(data) if not test["word"].endswith(b"ndef"))
    return any(names_backend(_NEGATED.sub(b"", test["asked"]).decode("latin-1"), backend) for test in tests)


class Taken:
    """Of another back end's code what this one compiles: the sources that its build names, and what lies around them."""

    def __init__(self, files: frozenset[str]) -> None:
        self._files = files
        self._folders = {path[:at] for path in files for at in range(len(path)) if path[at] == "/"}

    def takes(self, path: str) -> bool:
        """Whether a source is named, or a header or host source stands in a back end's folder with one that is."""
        return path in self._files if path.endswith(".cu") else root_of(path) in self._folders


def root_of(path: str) -> str:
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
        self._lent = {path for path in files if is_wanted(path) and _has_arm(path, files[path], backend)}
        macros, readings = macros_of(backend), readings or Readings()
        self._everywhere = readings.macros(files)
        own = {path for path in files if is_wanted(path) and self.owns(path)}
        above = {path[:at] for path in own for at in range(len(path)) if path[at] == "/"} | {""} if own else set()
        beside = tuple({root.rpartition("/")[0] + "/" for path in own if "/" in (root := root_of(path))})
        for path in sorted(files):
            deadline.check()
            if path in own and is_embedded(files[path]):
                self.problems.append(Problem(path, 1, "a binary written as numbers: what it holds is not known"))
            elif path in own or self._is_common(path, files[path], above, beside):
                try:
                    file = readings.read(path, files[path], macros)
                except UnreadableSource as error:
                    self.problems.append(Problem(path, 1, f"could not be read: {error.reason}"))
                    continue
                self.files.append(file)
        left_open = {file.path.rpartition("/")[2]: file.tokens.left_open for file in self.files}
        for file in self.files:
            self._check(file, left_open)
        expander = Expander(self._everywhere)
        for file in self.files:
            if not file.is_written_out:
                _write_out(file, expander)

    @staticmethod
    def _is_common(path: str, data: bytes, above: set[str], beside: tuple[str, ...]) -> bool:
        """Whether a file that no back end owns matters to one: it lies above its code or beside it, declares an
        interface, or registers something."""
        if not is_wanted(path) or owner_of_path(path) is not None:
            return False
        if path.rpartition("/")[0] in above or path.startswith(beside) or _REGISTERING.search(data):
            return True
        named = path.lower().endswith((".h", ".hh", ".hpp", ".hxx", ".cuh")) or bool(_NAMES_ONE.search(data))
        return named and bool(_INTERFACE.search(data))

    def _check(self, file: CppFile, left_open: Mapping[str, int]) -> None:
        """Brackets without partners, but for those that what it includes, or macros of the tree, opened."""
        tokens = file.tokens
        if tokens.unmatched is not None:
            opened = sum(left_open.get(name, 0) for name in tokens.includes)
            for text in tokens.list:
                here, there = tokens.defined.get(text), self._everywhere.get(text)
                opened += opens(here.body) if here else opens(there.body) if there else 0
            if tokens.closes_only(opened):
                return
            mine = self.owns(file.path)
            what = f"`{tokens.list[tokens.unmatched]}` has no partner for {self.backend}: nothing after it is sure"
            self.problems.append(Problem(file.path, tokens.line(tokens.unmatched), what, blocks_score=mine))

    def owns(self, path: str, name: str = "") -> bool:
        """Whether code is this back end's own; shared sources are."""
        owner = backend_of(name) if name else None
        owner = owner or owner_of_path(path)
        if owner is None or owner == self.backend:
            return owner is not None
        if owner == self.shares and self._shared.takes(path):
            return True
        return owner == DONOR and path in self._lent and backend_of(name) != owner

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
    def macros(self) -> Mapping[str, Defined]:
        """Of one that is defined twice, the first that this back end compiles."""
        found: dict[str, Defined] = {}
        for file in self.files:
            for name, macro in file.tokens.defined.items():
                line = file.tokens.source.line_at(macro.at)
                found.setdefault(name, Defined(file.path, line, macro.parameters, macro.body))
        return {**self._everywhere, **found}

    @cached_property
    def branching(self) -> frozenset[str]:
        """Macros that hide control flow."""
        return frozenset(name for name, macro in self.macros.items() if _CONTROL.search(macro.body))

    def returns(self, macro: str) -> bool:
        """Whether a macro may leave the function that it stands in."""
        return macro in self.branching and bool(re.search(r"\breturn\b", self.macros[macro].body))

    def is_object_macro(self, name: str) -> bool:
        """Whether a word is a macro without parentheses."""
        return text_is_macro(name) and name in self.macros and self.macros[name].parameters is None

    def macro(self, name: str) -> Function | None:
        """A macro as if it were a function."""
        if name not in self.macros:
            return None
        if name not in self._expanded:
            macro = self.macros[name]
            above, body = "\n" * (macro.line - 1), macro.body.replace("\\\n", "\n")
            text = f"{above}void {name}({macro.parameters or ''}) {{{body};}}"
            read = read_file(macro.path, text.encode("latin-1", "replace"), lambda _: None)
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


def _write_out(file: CppFile, expander: Expander) -> None:
    """Reads what the macros write that stand where declarations do."""
    file.is_written_out = True
    for call in invocations(file.tokens):
        text = expander.text(file, call)
        if text is None:
            continue
        try:
            written = read_file(file.path, text.encode("latin-1", "replace"), lambda _: None)
        except UnreadableSource:
            continue
        file.written.append(written)
        file.functions += written.functions
        file.classes += written.classes
