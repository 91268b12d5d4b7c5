"""Conditions: for which data types one may be true, and for which false."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rewarp.lang.rust_tree import last_segment
from rewarp.parity.rust.following.paths import Exit, Live, only, reach
from rewarp.parity.rust.following.patterns import of_pattern
from rewarp.parity.rust.following.values import Value
from rewarp.parity.rust.reading.lowering import condition_of_matches, expressions_of
from rewarp.parity.rust.reading.tree import (
    Binary,
    Expression,
    Is,
    MacroCall,
    Method,
    Not,
    Text,
)

if TYPE_CHECKING:
    from rewarp.parity.rust.following.follow import Frame

_TEXT_TESTS = frozenset(("contains", "starts_with", "ends_with", "eq", "eq_ignore_ascii_case"))


def tests_text(frame: Frame, node: Expression) -> bool:
    """Whether a name decides; the name of a data type is none."""
    if isinstance(node, Binary):
        sides = (node.left, node.right)
        return any(_is_name(frame, side) or tests_text(frame, side) for side in sides)
    return isinstance(node, Method) and node.name in _TEXT_TESTS and any(_is_name(frame, a) for a in node.arguments)


def _is_name(frame: Frame, node: Expression) -> bool:
    return isinstance(node, Text) and not frame.dtypes.of(node.value)


def condition(frame: Frame, node: Expression, live: Live) -> tuple[int, int, Live]:
    """The data types for which a condition may hold, those for which it may not, and the ways on after it."""
    every = frame.dtypes.every
    if isinstance(node, Not):
        true, false, live = condition(frame, node.value, live)
        return false, true, live
    if isinstance(node, Binary) and node.operator in ("&&", "||"):
        true, false, live = condition(frame, node.left, live)
        second, other, live = condition(frame, node.right, live)
        return (true & second, false | other, live) if node.operator == "&&" else (true | second, false & other, live)
    if isinstance(node, Binary):
        left, live = frame.expression(node.left, live)
        right, live = frame.expression(node.right, live)
        if node.operator in ("==", "!="):
            return (*_compared(frame, left, right, node.operator == "=="), live)
        return every, every, live
    if isinstance(node, MacroCall) and last_segment(node.name) == "matches":
        node = condition_of_matches(node.arguments, node.line) or node
    if isinstance(node, Is):
        before, exits = live, len(frame.record.exits)
        value, live = frame.expression(node.value, live)
        if not live:
            # `if let Ok(x) = f()` of what always fails: the other way is taken.
            del frame.record.exits[exits:]
            return 0, every, before
        if frame.is_followed_parameter(node.value) and value.holds is None:
            # The parameter whose data types are followed is there.
            value = replace(value, holds=(every, 0))
        fits, misses, _ = of_pattern(frame, node.pattern, value)
        frame.bind(node.pattern, value)
        return fits, misses, live
    if isinstance(node, Method) and node.name in ("is_some", "is_none"):
        value, live = frame.expression(node.receiver, live)
        yes, no = value.holds or (every, every)
        return (yes, no, live) if node.name == "is_some" else (no, yes, live)
    if isinstance(node, Method) and node.name in _TEXT_TESTS and len(node.arguments) == 1:
        value, live = frame.expression(node.receiver, live)
        wanted, live = frame.expression(node.arguments[0], live)
        if len(wanted.strings) == 1 and (value.dtypes or value.subject == frame.axis != ""):
            found = frame.dtypes.whose_name_holds(wanted.strings[0][0])
            if value.dtypes:
                return (every, 0, live) if found & value.dtypes else (0, every, live)
            return found, every & ~found, live
        return every, every, live
    if isinstance(node, MacroCall) and last_segment(node.name) == "matches":
        return every, every, live
    value, live = frame.expression(node, live)
    return (*(value.holds or (every, every)), live)


def asserted(frame: Frame, node: MacroCall, live: Live) -> Live:
    """`assert_eq!(x.dtype(), DType::F32)`: what does not hold ends in an error."""
    arguments = expressions_of(node.arguments, node.line)
    name = last_segment(node.name)
    if not arguments:
        return live
    asked: Expression = arguments[0]
    if name in ("assert_eq", "assert_ne") and len(arguments) > 1:
        asked = Binary(arguments[0], "==" if name == "assert_eq" else "!=", arguments[1])
    true, _, live = condition(frame, asked, live)
    if ended := reach(live) & ~true:
        chain = (frame.place(node.line, f"{node.name}!({' '.join(node.arguments.split())[:80]})"),)
        frame.record.exits.append(Exit(ended, chain, is_for_type=True))
        if not reach(live) & true:
            frame.fails(live, node.line, chain[0].text)
    return only(live, true)


def _compared(frame: Frame, left: Value, right: Value, is_equal: bool) -> tuple[int, int]:
    every = frame.dtypes.every
    are_dtypes = left.type in frame.dtypes.enums and right.type in frame.dtypes.enums
    if are_dtypes and left.subject and right.subject and left.subject != right.subject:
        frame.compared.append((frozenset((left.subject, right.subject)), is_equal))
    for value, other in ((left, right), (right, left)):
        if other.dtypes and value.subject:
            frame.record.looked_at.add(value.subject)
            if value.subject == frame.axis:
                frame.record.told |= other.dtypes
                found = other.dtypes if is_equal else every & ~other.dtypes
                return found, every & ~found
    if left.dtypes and right.dtypes:
        return (every, 0) if bool(left.dtypes & right.dtypes) == is_equal else (0, every)
    return every, every


def asks_for_name(node: Expression) -> bool:
    """Whether a condition asks for a name."""
    return isinstance(node, Method) and node.name in _TEXT_TESTS
