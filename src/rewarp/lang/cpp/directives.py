"""A file as the preprocessor sees its shape: code, directives, and conditionals with their branches.

Beside the tree of ``file``, which takes every file as it is and keeps the places: proofs rest on this one, so it is made of exact
tokens and refuses what does not match up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Union

from rewarp.lang.cpp.conditions import OPENING
from rewarp.lang.cpp.macros import Macro, read_macro
from rewarp.lang.cpp.tokens import Token, Unreadable, joined

_DEEPEST = 200


@dataclass(frozen=True)
class Directive:
    """One preprocessor line: ``word`` is ``include``, ``define``, ``pragma`` …"""

    word: str
    tokens: tuple[Token, ...]
    """What follows the word."""
    line: int

    @cached_property
    def text(self) -> str:
        return joined(self.tokens)

    @property
    def name(self) -> str:
        """The macro that it defines or asks for."""
        return self.tokens[0].text if self.tokens else ""

    @cached_property
    def macro(self) -> Macro | None:
        """The macro that a ``#define`` defines; None where it cannot be one."""
        return read_macro(self.tokens) if self.word == "define" else None


@dataclass(frozen=True)
class Branch:
    word: str
    """``if``, ``ifdef``, ``ifndef``, ``elif`` or ``else``."""
    condition: tuple[Token, ...]
    line: int
    body: tuple[Node, ...]


@dataclass(frozen=True)
class Conditional:
    branches: tuple[Branch, ...]


Node = Union[Token, Directive, Conditional]


@dataclass
class _Open:
    """A conditional whose ``#endif`` has not come yet."""

    done: list[Branch] = field(default_factory=list)
    word: str = ""
    condition: tuple[Token, ...] = ()
    line: int = 0
    body: list[Node] = field(default_factory=list)

    def close(self) -> None:
        self.done.append(Branch(self.word, self.condition, self.line, tuple(self.body)))

    def start(self, word: str, condition: tuple[Token, ...], line: int) -> None:
        self.word, self.condition, self.line, self.body = word, condition, line, []


def parse(tokens: list[Token]) -> tuple[Node, ...]:
    """The shape of a file; Unreadable where its conditionals do not match up."""
    top: list[Node] = []
    stack: list[_Open] = []
    for line in _lines(tokens):
        into = stack[-1].body if stack else top
        if line[0].kind != "mark" or line[0].text != "#":
            into.extend(line)
        elif len(line) > 1:  # a lone # says nothing
            _directive(line, stack, top)
    if stack:
        raise Unreadable(f"#{stack[-1].word} without #endif", stack[-1].line)
    return tuple(top)


def _directive(line: list[Token], stack: list[_Open], top: list[Node]) -> None:
    name, rest, number = line[1].text, tuple(line[2:]), line[0].line
    if name in OPENING:
        if len(stack) > _DEEPEST:
            raise Unreadable("conditionals nested too deeply", number)
        stack.append(_Open())
        stack[-1].start(name, rest, number)
    elif name in ("elif", "else", "endif"):
        if not stack or (name != "endif" and stack[-1].word == "else"):
            raise Unreadable(f"#{name} without #if", number)
        if rest and name != "elif":
            raise Unreadable(f"text after #{name}", number)
        current = stack[-1]
        current.close()
        if name == "endif":
            stack.pop()
            (stack[-1].body if stack else top).append(Conditional(tuple(current.done)))
        else:
            current.start(name, rest, number)
    elif name in ("elifdef", "elifndef"):
        raise Unreadable(f"#{name}, which older compilers do not know", number)
    else:
        if name.startswith("include") and rest and rest[0].text == "<" and rest[-1].text != ">":
            raise Unreadable("an #include whose file cannot be told", number)
        (stack[-1].body if stack else top).append(Directive(name, rest, number))


def _lines(tokens: list[Token]) -> Iterator[list[Token]]:
    line: list[Token] = []
    for token in tokens:
        if token.kind != "newline":
            line.append(token)
        elif line:
            yield line
            line = []


@dataclass(frozen=True)
class Definition:
    """A ``#define`` or ``#undef``, with the branches it stands in, outermost first."""

    directive: Directive
    around: tuple[tuple[Conditional, int], ...]


@dataclass(frozen=True)
class Shape:
    """A file, and what it says about each macro."""

    nodes: tuple[Node, ...]
    definitions: dict[str, list[Definition]]


def shape(tokens: list[Token]) -> Shape:
    nodes = parse(tokens)
    definitions: dict[str, list[Definition]] = {}
    for directive, around in _placed(nodes, ()):
        if directive.word in ("define", "undef") and directive.tokens:
            definitions.setdefault(directive.tokens[0].text, []).append(Definition(directive, around))
    return Shape(nodes, definitions)


def _placed(
    nodes: tuple[Node, ...], around: tuple[tuple[Conditional, int], ...]
) -> Iterator[tuple[Directive, tuple[tuple[Conditional, int], ...]]]:
    for node in nodes:
        if isinstance(node, Directive):
            yield node, around
        elif isinstance(node, Conditional):
            for index, branch in enumerate(node.branches):
                yield from _placed(branch.body, (*around, (node, index)))


def every_branch(nodes: tuple[Node, ...]) -> Iterator[Branch]:
    """Each before those inside it."""
    for node in nodes:
        if isinstance(node, Conditional):
            for branch in node.branches:
                yield branch
                yield from every_branch(branch.body)


def walk(nodes: tuple[Node, ...]) -> Iterator[Directive]:
    """Every directive, whatever conditionals it stands in."""
    return (directive for directive, _ in _placed(nodes, ()))
