"""A CMake file as nested blocks: what an evaluator walks through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Union

from rewarp.errors import ParseError
from rewarp.lang.cmake.file import Argument, CMakeFile
from rewarp.lang.kinds import Kind
from rewarp.lang.remembered import Remembered
from rewarp.source import SourceFile

_ENDS = {
    "if": "endif",
    "foreach": "endforeach",
    "while": "endwhile",
    "function": "endfunction",
    "macro": "endmacro",
} | {"block": "endblock"}
_DEEPEST = 200


@dataclass(frozen=True)
class Call:
    """One command, and where it stands."""

    name: str
    arguments: tuple[Argument, ...]
    file: str
    line: int


@dataclass(frozen=True)
class Branch:
    test: Call | None
    """None for else()."""
    body: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """if() with all its branches."""

    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Block:
    """A loop, the definition of a function or macro, or a block()."""

    opening: Call
    body: tuple[Node, ...]


Node = Union[Call, Choice, Block]


_known: Remembered[tuple[Node, ...]] = Remembered(2_000_000)


def read_blocks(path: str, data: bytes) -> tuple[Node, ...]:
    """Read once for each content: a project is run under several switches. Raises ParseError where blocks do not match
    up."""
    return _known.get((path, data), len(data), lambda: _read(path, data))


def _read(path: str, data: bytes) -> tuple[Node, ...]:
    source = SourceFile(path, data)
    document = CMakeFile(source, Kind.CMAKE)
    calls = [Call(call.name, call.arguments, path, source.line_at(call.where.start)) for call in document.calls]
    reader = _Reader(calls)
    return reader.until(())[0]


def calls_in(nodes: Sequence[Node]) -> Iterator[Call]:
    """The calls in nodes, and the tests and openings around them, as they stand in the file."""
    for node in nodes:
        if isinstance(node, Call):
            yield node
        elif isinstance(node, Block):
            yield node.opening
            yield from calls_in(node.body)
        else:
            for branch in node.branches:
                if branch.test is not None:
                    yield branch.test
                yield from calls_in(branch.body)


class _Reader:
    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._at = 0
        self._depth = 0

    def until(self, ends: Sequence[str]) -> tuple[tuple[Node, ...], Call | None]:
        """The nodes up to one of these commands, and that command."""
        found: list[Node] = []
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ParseError(f"blocks nested more than {_DEEPEST} deep")
        while self._at < len(self._calls):
            call = self._calls[self._at]
            self._at += 1
            if call.name in ends:
                self._depth -= 1
                return tuple(found), call
            if call.name == "if":
                found.append(self._choice(call))
            elif call.name in _ENDS:
                found.append(Block(call, self.until((_ENDS[call.name],))[0]))
            elif call.name in _ENDS.values() or call.name in ("else", "elseif"):
                raise ParseError(f"{call.name}() without what it belongs to", call.line)
            else:
                found.append(call)
        if ends:
            raise ParseError(f"{ends[-1]}() is missing", self._calls[-1].line)
        return tuple(found), None

    def _choice(self, opening: Call) -> Choice:
        branches: list[Branch] = []
        test: Call | None = opening
        while True:
            body, end = self.until(("elseif", "else", "endif") if test else ("endif",))
            branches.append(Branch(test, body))
            if end is None or end.name == "endif":
                return Choice(tuple(branches))
            test = end if end.name == "elseif" else None
