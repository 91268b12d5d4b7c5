"""Where code chooses by device: `match`, chains of `if let`, and lists in `matches!`, all in the form of a `match`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from rewarp.parity.rust.lowering import condition_of_matches
from rewarp.parity.rust.syntax import last_segment
from rewarp.parity.rust.tree import Anything, Arm, Block, Expression, Guarded, If, Is, Let, MacroCall, Match, Other


@dataclasses.dataclass(frozen=True)
class Choice:
    node: Match
    how: str = ""
    """What stands there; empty for `match`."""


IF_LET, LET_ELSE, MATCHES = "if let", "let else", "matches!"


def choices_in(node: object) -> Iterator[Choice]:
    """Every choice in a tree, the outer ones first."""
    if isinstance(node, Match):
        yield Choice(node)
    elif isinstance(node, MacroCall):
        asked = condition_of_matches(node.arguments, node.line) if last_segment(node.name) == "matches" else None
        if asked is not None:
            yield Choice(Match(node.line, asked.value, (Arm(node.line, asked.pattern, None, Other()),)), MATCHES)
    elif isinstance(node, Let) and node.value is not None and node.otherwise is not None:
        arms = (Arm(node.line, node.pattern, None, Other()), Arm(node.line, Anything(), None, node.otherwise))
        yield Choice(Match(node.line, node.value, arms), LET_ELSE)
    elif isinstance(node, If):
        yield from _chain([node], node.otherwise)
        return
    elif isinstance(node, Block):
        yield from _block(node)
        return
    yield from _parts(node)


def _parts(node: object) -> Iterator[Choice]:
    if isinstance(node, tuple):
        for item in node:
            yield from choices_in(item)
    elif dataclasses.is_dataclass(node) and not isinstance(node, type):
        for part in dataclasses.fields(node):
            yield from choices_in(getattr(node, part.name))


def _block(node: Block) -> Iterator[Choice]:
    """Statements; one `if let` after another that look at the same value are one choice, what follows is for all others."""
    steps = (*node.items, *((node.tail,) if node.tail is not None else ()))
    at = 0
    while at < len(steps):
        end = at + 1
        asked = _asked(steps[at])
        while asked is not None and end < len(steps) and _asked(steps[end]) == asked:
            end += 1
        if asked is not None:
            yield from _chain(
                list(steps[at:end]), Block(steps[end:-1], steps[-1]) if end < len(steps) else None, is_run=True
            )
        else:
            yield from choices_in(steps[at])
        at = end


def _asked(node: Expression) -> Expression | None:
    """The value that an `if let` without `else` looks at."""
    inner = node.value if isinstance(node, Guarded) else node
    is_plain = isinstance(inner, If) and inner.otherwise is None and isinstance(inner.condition, Is)
    return inner.condition.value if is_plain and isinstance(inner, If) and isinstance(inner.condition, Is) else None


def _chain(heads: list[Expression], otherwise: Expression | None, *, is_run: bool = False) -> Iterator[Choice]:
    """`if let A = x { … } else if let B = x { … } else { … }` as a `match` on `x`."""
    arms: list[Arm] = []
    bodies: list[Expression] = []
    value: Expression | None = None
    line = 0
    for head in heads:
        cfg = head.cfg if isinstance(head, Guarded) else ()
        link: Expression | None = head.value if isinstance(head, Guarded) else head
        while isinstance(link, If):
            asked = link.condition
            if isinstance(asked, Is) and (value is None or asked.value == value):
                value, line = asked.value, line or link.line
                arms.append(Arm(link.line, asked.pattern, None, link.then, cfg))
            else:
                yield from choices_in(asked)
            bodies.append(link.then)
            otherwise, link = (otherwise if is_run else link.otherwise), link.otherwise
    if value is not None:
        last = otherwise if otherwise is not None else Other()
        yield Choice(Match(line, value, (*arms, Arm(line, Anything(), None, last))), IF_LET)
    for body in bodies:
        yield from choices_in(body)
    if otherwise is not None and not is_run:
        yield from choices_in(otherwise)
