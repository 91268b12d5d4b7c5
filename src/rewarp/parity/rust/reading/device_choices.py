"""Where code chooses by device: `match`, chains of `if let`, lists in `matches!`, and `is_cuda()`, all in the form of a `match`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from rewarp.lang.rust_tree import last_segment
from rewarp.parity.names.backends import words
from rewarp.parity.rust.reading.lowering import condition_of_matches
from rewarp.parity.rust.reading.tree import (
    AnyOf,
    Anything,
    Arm,
    Binary,
    Block,
    Expression,
    Guarded,
    If,
    Is,
    Let,
    MacroCall,
    Match,
    Method,
    Not,
    Other,
    Pattern,
    Variant,
    alternatives,
)


@dataclasses.dataclass(frozen=True)
class Choice:
    node: Match
    origin: object
    """The piece of code that says it: the `match` itself, an `if let`, a `let … else`."""
    how: str = ""
    """What stands there; empty for `match`."""


IF_LET, IF, LET_ELSE, MATCHES, ASKED = "if let", "if", "let else", "matches!", "asked"
TEST = "is_"
"""What a test of a device begins with: `is_cuda()`."""


def choices_in(node: object) -> Iterator[Choice]:
    """Every choice in a tree, the outer ones first."""
    if isinstance(node, Match):
        yield Choice(node, node)
    elif isinstance(node, MacroCall):
        asked = condition_of_matches(node.arguments, node.line) if last_segment(node.name) == "matches" else None
        if asked is not None:
            arm = Arm(node.line, asked.pattern, None, Other())
            yield Choice(Match(node.line, asked.value, (arm,)), node, MATCHES)
    elif isinstance(node, Let) and node.value is not None and node.otherwise is not None:
        arms = (Arm(node.line, node.pattern, None, Other()), Arm(node.line, Anything(), None, node.otherwise))
        yield Choice(Match(node.line, node.value, arms), node, LET_ELSE)
    elif isinstance(node, If):
        yield from _chain([node], _upright(node).otherwise)
        return
    elif isinstance(node, (Method, Not, Binary)) and (test := _test(node)) is not None:
        arm = Arm(test.line, test.asked.pattern, None, Other())
        yield Choice(Match(test.line, test.asked.value, (arm,)), node, ASKED)
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


@dataclasses.dataclass(frozen=True)
class _Test:
    """`d.is_cuda() || d.is_metal()` as a pattern that `d` fits."""

    line: int
    asked: Is
    is_denied: bool
    """That it fits is what is not wanted: `!d.is_cuda()`."""


def _test(node: Expression) -> _Test | None:
    if isinstance(node, Not):
        inner = _test(node.value)
        return inner and dataclasses.replace(inner, is_denied=not inner.is_denied)
    if isinstance(node, Method) and node.name.startswith(TEST) and node.name.removeprefix(TEST) in words():
        return _Test(node.line, Is(node.receiver, Variant(node.name)), is_denied=False) if not node.arguments else None
    if not isinstance(node, Binary) or node.operator not in ("||", "&&"):
        return None
    left, right = _test(node.left), _test(node.right)
    if left is None or right is None or left.asked.value != right.asked.value:
        return None
    if left.is_denied is not right.is_denied or left.is_denied is not (node.operator == "&&"):
        return None
    patterns = (*alternatives(left.asked.pattern), *alternatives(right.asked.pattern))
    return dataclasses.replace(left, asked=Is(left.asked.value, AnyOf(patterns)))


def is_test(pattern: Pattern) -> bool:
    """Whether a pattern stands for `is_cuda()`."""
    return isinstance(pattern, Variant) and pattern.path.startswith(TEST)


def _upright(node: If) -> If:
    """`if` with a test of a device as a pattern; one that is denied the other way round."""
    test = _test(node.condition)
    if test is None:
        return node
    if test.is_denied:
        return If(node.line, test.asked, node.otherwise or Other(), node.then)
    return If(node.line, test.asked, node.then, node.otherwise)


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
    if not isinstance(inner, If):
        return None
    asked = _upright(inner)
    return asked.condition.value if asked.otherwise is None and isinstance(asked.condition, Is) else None


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
            link = _upright(link)
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
        is_asked = any(is_test(one) for arm in arms for one in alternatives(arm.pattern))
        choice = Match(line, value, (*arms, Arm(line, Anything(), None, last)))
        yield Choice(choice, heads[0], IF if is_asked else IF_LET)
    for body in bodies:
        yield from choices_in(body)
    if otherwise is not None and not is_run:
        yield from choices_in(otherwise)
