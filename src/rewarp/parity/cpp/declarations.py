"""What C++ declares: functions, classes with their methods, tables of functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from rewarp.parity.cpp.tokens import Tokens
from rewarp.parity.model import Place


@dataclass(frozen=True)
class Function:
    """A function, declared or defined."""

    name: str
    owner: str
    """Its class; empty for a free function."""
    parameters: tuple[str, ...]
    flags: frozenset[str]
    """The words around it: `static`, `virtual`, `override`, `pure`, `bool` and the other words of its type."""
    tokens: Tokens = field(repr=False, compare=False)
    at: int
    """Where its name stands."""
    body: tuple[int, int] | None
    """The tokens between its braces; None for a declaration."""

    @property
    def path(self) -> str:
        return self.tokens.path

    @property
    def line(self) -> int:
        return self.tokens.line(self.at)

    @property
    def qualified(self) -> str:
        return f"{self.owner}::{self.name}" if self.owner else self.name

    @property
    def place(self) -> Place:
        return Place(self.path, self.line, self.qualified)


@dataclass
class Class:
    name: str
    bases: tuple[str, ...]
    path: str
    line: int
    methods: list[Function] = field(default_factory=list)
    pointers: list[str] = field(default_factory=list)
    """The names of its fields that point to functions, in order."""
    fields: int = 0
    """How many members it has that are no functions."""


@dataclass(frozen=True)
class Entry:
    """One place of a table of functions."""

    field: str | None
    """As the code or the comment before it names it."""
    value: str
    line: int
    is_remark: bool = False
    """Whether only a comment names it."""


@dataclass(frozen=True)
class Table:
    type: str
    name: str
    path: str
    line: int
    entries: tuple[Entry, ...]


@dataclass
class CppFile:
    """One file as one back end sees it."""

    path: str
    tokens: Tokens
    functions: list[Function] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
