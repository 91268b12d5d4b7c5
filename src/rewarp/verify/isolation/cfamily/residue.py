"""What is left of a file for NVIDIA's compiler: branches that only HIP sees are gone, undecided ones stay.

Two files with the same residue give the same tokens in every translation unit that includes them at the same
places, whatever the undecided conditions turn out to be. So an undecided condition is not unknown, as it is to those who
compile for one platform, but a term that is compared: the tree is ``directives``', the truth of its branches is this one's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Union

from rewarp.lang.cpp.directives import Branch, Conditional, Directive, Node
from rewarp.lang.cpp.tokens import Token
from rewarp.verify.isolation.cfamily.conditions import Expression, Macros, condition, text


@dataclass(frozen=True)
class Open:
    """An undecided ``#if`` or ``#elif`` (or the ``#else`` of one)."""

    word: str
    condition: str
    line: int
    readable: bool


@dataclass(frozen=True)
class Close:
    line: int


Item = Union[Token, Directive, Open, Close]


def residue(nodes: Iterable[Node], macros: Macros) -> list[Item]:
    found: list[Item] = []
    for node in nodes:
        if isinstance(node, Conditional):
            found += _conditional(node, macros)
        else:
            found.append(node)
    return found


def _conditional(node: Conditional, macros: Macros) -> list[Item]:
    kept: list[tuple[Open, list[Item]]] = []
    for branch in node.branches:
        value = value_of(branch, macros)
        if value == 0:
            continue
        body = residue(branch.body, macros)
        if isinstance(value, int):
            if not kept:
                return body
            kept.append((Open("else", "", branch.line, True), body))
            break
        word = "elif" if kept else "if"
        if value is None:
            kept.append((Open(word, _raw(branch), branch.line, False), body))
        else:
            kept.append((Open(word, text(value), branch.line, True), body))
    if all(opening.readable and not body for opening, body in kept):
        return []  # to ask and then do nothing is to do nothing
    flat: list[Item] = []
    for opening, body in kept:
        flat += [opening, *body]
    return [*flat, Close(node.branches[-1].line)]


def may_reach(around: Iterable[tuple[Conditional, int]], macros: Macros) -> bool:
    """Whether NVIDIA's compiler may get into these branches."""
    for node, index in around:
        values = [value_of(branch, macros) for branch in node.branches[: index + 1]]
        if values[-1] == 0 or any(isinstance(value, int) and value for value in values[:-1]):
            return False
    return True


def value_of(branch: Branch, macros: Macros) -> Expression | None:
    """0 or 1 where it is decided; None where it cannot even be read."""
    if branch.word == "else":
        return 1
    return condition(branch.word, branch.condition, macros)


def _raw(branch: Branch) -> str:
    word = "" if branch.word in ("if", "elif") else branch.word + " "
    return "unread " + word + " ".join(token.text for token in branch.condition)


def key(item: Item) -> tuple[object, ...]:
    """What makes two items the same to a compiler. In a directive white space can matter; in code it cannot,
    but for what a macro turns into text."""
    if isinstance(item, Token):
        return ("token", item.text)
    if isinstance(item, Directive):
        return (
            "directive",
            item.word,
            *((token.text, token.spaced and at > 0) for at, token in enumerate(item.tokens)),
        )
    if isinstance(item, Open):
        return ("open", item.word, item.condition)
    return ("close",)


def words(items: Iterable[Item]) -> set[str]:
    """Every identifier in it."""
    found: set[str] = set()
    for item in items:
        tokens = [item] if isinstance(item, Token) else item.tokens if isinstance(item, Directive) else ()
        found.update(token.text for token in tokens if token.kind == "word")
    return found
