"""What C++ declares: functions, classes with their methods, tables of functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from rewarp.parity.cpp.reading.tokens import Tokens
from rewarp.parity.names.backends import backend_of, neutral
from rewarp.parity.units import Place


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

    @property
    def is_template(self) -> bool:
        """Whether `template <…>` stands before it."""
        texts = self.tokens.list
        for at in range(self.at - 1, -1, -1):
            if texts[at] in (";", "{", "}"):
                return False
            if texts[at] == "template":
                return texts[at + 1] == "<" and texts[at + 2] != ">"
        return False

    @cached_property
    def signature(self) -> tuple[str, ...]:
        """The types of its parameters, as far as two back ends write them alike: overloads differ by it."""
        tokens, at = self.tokens, self.at
        while at < tokens.size and tokens.list[at] != "(":
            at += 1
        close = tokens.partner.get(at, at)
        parts: list[list[str]] = [[]]
        depth = 0
        for text in tokens.list[at + 1 : close]:
            depth += (text in "(<[{") - (text in ")]}") - (text.count(">") if text in (">", ">>>") else 0)
            if text == "," and not depth:
                parts.append([])
            else:
                parts[-1].append(text)
        return tuple(_type(part) for part in parts if part and part != ["void"])


_TELLS_NOTHING = frozenset({"const", "&", "std", "::", "struct", "class", "unsigned"})


def _type(parameter: list[str]) -> str:
    """The type of one parameter, without its name, its default, and what does not tell overloads apart."""
    if "=" in parameter:
        parameter = parameter[: parameter.index("=")]
    while "[" in parameter and parameter[(at := parameter.index("[")) + 1 : at + 2] == ["["]:
        end = next((n for n in range(at, len(parameter) - 1) if parameter[n : n + 2] == ["]", "]"]), at)
        parameter = parameter[:at] + parameter[end + 2 :]  # `[[maybe_unused]]`
    if "::" in parameter:  # `gmx::Workload` and, inside the namespace, `Workload`
        parameter = [text for text, after in zip(parameter, [*parameter[1:], ""]) if after != "::"]
    words = [text for text in parameter if text not in _TELLS_NOTHING and "unused" not in text.lower()]
    names = [at for at, text in enumerate(words) if text.isidentifier()]
    if len(names) > 1 and names[-1] == len(words) - 1:
        words.pop()
    return "".join(neutral(text) if backend_of(text) else text for text in words)


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
    arguments: tuple[str, ...] = ()
    """Template arguments that it is a specialisation for, as written."""


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
    written: list[CppFile] = field(default_factory=list)
    """What macros write that stand where declarations do."""
    is_written_out: bool = False
