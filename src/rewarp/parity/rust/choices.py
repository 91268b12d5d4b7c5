"""`match`, `if` and conditions: which data types take which way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rewarp.parity.backends import backend_of
from rewarp.parity.rust.conditions import is_built
from rewarp.parity.rust.lowering import condition_of_matches
from rewarp.parity.rust.paths import NO_KERNEL, Exit, Gap, Live, merged, only, reach
from rewarp.parity.rust.syntax import last_segment
from rewarp.parity.rust.tree import (
    Arm,
    Binary,
    Block,
    Call,
    Expression,
    If,
    Is,
    Literal,
    MacroCall,
    Match,
    Method,
    Not,
    Other,
    Pattern,
    Return,
    Several,
    Text,
    Tuple,
    Variant,
    alternatives,
    takes_all,
)
from rewarp.parity.rust.values import UNKNOWN, Value, either

if TYPE_CHECKING:
    from rewarp.parity.rust.follow import Frame

_OF_RESULTS = frozenset(("Some", "None", "Ok", "Err"))
_NOTHING = ((Tuple(()),), (Other(),))
_TEXT_TESTS = frozenset(("contains", "starts_with", "ends_with", "eq", "eq_ignore_ascii_case"))


def of_pattern(frame: Frame, pattern: Pattern, value: Value) -> tuple[int, int, bool]:
    """The data types that may fit a pattern, those that may not, and whether the pattern looks at the data type."""
    every = frame.dtypes.every
    fits, certain, told = 0, 0, 0
    looks = False
    for one in alternatives(pattern):
        mask, is_sure = _of_one(frame, one, value)
        if mask is None:
            fits = every
            certain |= every if takes_all(one) else 0
        else:
            looks = True
            fits |= mask
            told |= mask
            certain |= mask if is_sure else 0
    if looks and not value.variant and not value.dtypes:
        frame.record.told |= told
        _look(frame, value)
    return fits, every & ~certain, looks


def _look(frame: Frame, value: Value) -> None:
    for part in (value, *value.items):
        if part.subject:
            frame.record.looked_at.add(part.subject)


def _of_one(frame: Frame, pattern: Pattern, value: Value) -> tuple[int | None, bool]:
    """The data types of the followed value that one pattern takes, and whether it takes all of these."""
    if isinstance(pattern, Several):
        return _of_tuple(frame, pattern, value)
    if value.variant and isinstance(pattern, Variant):
        return (frame.dtypes.every if last_segment(pattern.path) == value.variant else 0), True
    mask = frame.dtypes.of(pattern.path) if isinstance(pattern, Variant) else 0
    if mask and value.dtypes:
        return (frame.dtypes.every if mask & value.dtypes else 0), True
    if isinstance(pattern, Variant) and not mask and last_segment(pattern.path) in ("Some", "Ok") and pattern.inner:
        return _of_one(frame, pattern.inner[0], value)
    if mask and value.subject and value.subject != frame.axis:
        frame.record.looked_at.add(value.subject)
    return (mask, True) if mask and value.subject == frame.axis != "" else (None, False)


def _of_tuple(frame: Frame, pattern: Several, value: Value) -> tuple[int | None, bool]:
    found: int | None = None
    is_sure = True
    _tie(frame, pattern, value)
    for place, inner in enumerate(pattern.items):
        part = value.items[place] if place < len(value.items) else Value(subject=value.subject)
        masks = [_of_one(frame, one, part)[0] for one in alternatives(inner)]
        known = [mask for mask in masks if mask is not None]
        if known and len(known) == len(masks):
            union = 0
            for mask in known:
                union |= mask
            found = union if found is None else found & union
        elif not takes_all(inner):
            is_sure = False
    return found, is_sure


def _tie(frame: Frame, pattern: Several, value: Value) -> None:
    """Two values that one pattern wants to be of the same data type."""
    seen: dict[int, str] = {}
    for inner, part in zip(pattern.items, value.items):
        mask = frame.dtypes.of(inner.path) if isinstance(inner, Variant) else 0
        if mask and part.subject:
            other = seen.setdefault(mask, part.subject)
            if other != part.subject:
                frame.record.tied.add(frozenset((other, part.subject)))


def match(frame: Frame, node: Match, live: Live) -> tuple[Value, Live]:
    """Every arm with the data types that come to it."""
    before, exits = live, len(frame.record.exits)
    value, live = frame.expression(node.value, live)
    arms = [arm for arm in node.arms if is_built(arm.cfg, frame.follower.backend)]
    catches = any(_names(arm.pattern) & {"Err", "None"} for arm in arms)
    if not live and catches:
        # What always fails is caught here.
        del frame.record.exits[exits:]
        live, arms = before, [arm for arm in arms if not _names(arm.pattern) & {"Ok", "Some"}]
    left, outs, values = frame.dtypes.every, [], []
    looks_at_all, taken = False, 0
    dead: list[Arm] = []
    lost: list[tuple[Arm, int]] = []
    outside, asked = dict(frame.names), len(frame.record.asks)
    for arm in arms:
        fits, misses, looks = of_pattern(frame, arm.pattern, value)
        looks_at_all |= looks
        here = only(live, fits & left)
        frame.bind(arm.pattern, value)
        if arm.guard is not None:
            true, _, here = condition(frame, arm.guard, here)
            here = only(here, true)
        elif looks or takes_all(arm.pattern):
            left &= misses
        found, out = frame.expression(arm.value, here)
        if here and not out:
            dead.append(arm)
            lost.append((arm, reach(here)))
        elif looks:
            taken |= fits
        outs.append(out)
        values.append(found.where(fits & reach(here)) if looks else found)
        frame.names = dict(outside)
    _note_gaps(frame, arms, dead, value)
    for arm, dtypes in lost if looks_at_all else ():
        if dtypes & ~taken:
            chain = (frame.place(arm.line, "ends in an error"),)
            frame.record.exits.append(Exit(dtypes & ~taken, chain, is_for_type=True))
    if looks_at_all and reach(only(live, left)):
        impossible = (frame.place(node.line, "no arm takes it"),)
        frame.record.exits.append(Exit(reach(only(live, left)), impossible, is_impossible=True))
    lived = either(found for found, out in zip(values, outs) if out)
    if looks_at_all or not any(frame.dtypes.of(path) for arm in arms for path in _variants(arm.pattern)):
        return lived, merged(outs)
    return lived.told_by_nobody(frame.dtypes.every), _of_another_type(frame, live, merged(outs), asked)


def _of_another_type(frame: Frame, before: Live, after: Live, asked: int) -> Live:
    """Where the data type of something else decides, a kernel that one of its types lacks is not charged to all of ours."""
    with_kernel = {done: mask for done, mask in after.items() if not done & NO_KERNEL}
    if not with_kernel or any(done & NO_KERNEL for done in before):
        return after
    frame.record.asks[asked:] = [found for found in frame.record.asks[asked:] if found.exists is not False]
    return with_kernel


def _names(pattern: Pattern) -> set[str]:
    return {last_segment(one.path) for one in alternatives(pattern) if isinstance(one, Variant)}


def _note_gaps(frame: Frame, arms: list[Arm], dead: list[Arm], value: Value) -> None:
    """Named cases that always end in an error, where others do not."""
    if len(dead) == len(arms):
        return
    for arm in dead:
        variants = [path for path in _variants(arm.pattern) if _is_case(frame, path)]
        if takes_all(arm.pattern) or not variants:
            variants = _left_over(frame, arms, dead) if takes_all(arm.pattern) else []
        if value.subject and any(map(frame.dtypes.of, variants)):
            continue
        for variant in variants:
            dtypes = frame.dtypes.every
            frame.record.gaps.append(Gap(variant, dtypes, (frame.place(arm.line, f"{variant} ends in an error"),)))


def _variants(pattern: Pattern) -> Iterable[str]:
    for one in alternatives(pattern):
        if isinstance(one, Variant):
            yield one.path
        elif isinstance(one, Several):
            for inner in one.items:
                yield from _variants(inner)


def _is_case(frame: Frame, path: str) -> bool:
    """Whether a variant is one of an enum of the project that is not one of data types."""
    owner, name = frame.own_type(last_segment(path.rpartition("::")[0])), last_segment(path)
    is_known = owner in frame.index.types and name not in _OF_RESULTS
    # That a way for one device does not take another's data is no gap.
    return is_known and not frame.dtypes.of(path) and backend_of(name) is None


def _left_over(frame: Frame, arms: list[Arm], dead: list[Arm]) -> list[str]:
    """The variants of an enum that only the arm for all others takes, or what has no name among strings."""
    named = [path for arm in arms if arm not in dead for path in _variants(arm.pattern)]
    if any(isinstance(one, Literal) for arm in arms for one in alternatives(arm.pattern)):
        return ["names other than those given"]
    owners = {frame.own_type(last_segment(path.rpartition("::")[0])) for path in named if "::" in path}
    if len(owners) != 1 or any(isinstance(one, Several) for arm in arms for one in alternatives(arm.pattern)):
        return []
    owner = owners.pop()
    if owner in frame.dtypes.enums or owner == frame.function.owner:
        return []
    taken = {last_segment(path) for arm in arms for path in _variants(arm.pattern)}
    for kind in frame.index.types.get(owner, ()):
        if kind.is_enum and taken <= {member.name for member in kind.members}:
            left = [f"{owner}::{member.name}" for member in kind.members if member.name not in taken]
            return [path for path in left if _is_case(frame, path)]
    return []


def branch(frame: Frame, node: If, live: Live) -> tuple[Value, Live]:
    """`if`, with `else` or without."""
    outside = dict(frame.names)
    true, false, live = condition(frame, node.condition, live)
    if _is_early_out(node):
        # Nothing to do for an empty tensor says nothing about what can be done.
        frame.names = outside
        return UNKNOWN, only(live, false)
    first, then = frame.expression(node.then, only(live, true))
    frame.names = outside
    rest = only(live, false)
    second, otherwise = frame.expression(node.otherwise, rest) if node.otherwise is not None else (UNKNOWN, rest)
    if node.otherwise is not None and rest and then and not otherwise and _tests_text(frame, node.condition):
        is_last = not isinstance(node.otherwise, If)
        if is_last:
            place = frame.place(node.line, "names other than those given end in an error")
            frame.record.gaps.append(Gap("names other than those given", frame.dtypes.every, (place,)))
    value = either(value for value, out in ((first.where(true), then), (second.where(false), otherwise)) if out)
    is_by_name = true == false and isinstance(node.condition, Method) and node.condition.name in _TEXT_TESTS
    return value.told_by_nobody(frame.dtypes.every) if is_by_name else value, merged((then, otherwise))


def _is_early_out(node: If) -> bool:
    """`if n == 0 { return Ok(out); }`."""
    body = node.then
    if node.otherwise is not None or not isinstance(body, Block):
        return False
    steps = (*body.items, *((body.tail,) if body.tail is not None else ()))
    if len(steps) != 1 or not isinstance(steps[0], Return):
        return False
    given = steps[0].value
    does_nothing = given is None or (isinstance(given, Call) and given.path == "Ok" and given.arguments in _NOTHING)
    return does_nothing or (not _ends_in_error(given) and _is_about_nothing(node.condition))


def _ends_in_error(node: Expression | None) -> bool:
    return isinstance(node, Call) and node.path == "Err"


def _is_about_nothing(node: Expression) -> bool:
    """Whether a condition asks for an empty tensor: `n == 0`, `shape.is_empty()`."""
    if isinstance(node, Binary) and node.operator in ("||", "&&"):
        return _is_about_nothing(node.left) and _is_about_nothing(node.right)
    if isinstance(node, Binary):
        # A number is nothing that the tree keeps.
        return node.operator == "==" and Other() in (node.left, node.right)
    return isinstance(node, Method) and node.name == "is_empty"


def _tests_text(frame: Frame, node: Expression) -> bool:
    """Whether a name decides; the name of a data type is none."""
    if isinstance(node, Binary):
        sides = (node.left, node.right)
        return any(_is_name(frame, side) or _tests_text(frame, side) for side in sides)
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
        fits, misses, _ = of_pattern(frame, node.pattern, value)
        frame.bind(node.pattern, value)
        return fits, misses, live
    if isinstance(node, Method) and node.name in _TEXT_TESTS and len(node.arguments) == 1:
        value, live = frame.expression(node.receiver, live)
        wanted, live = frame.expression(node.arguments[0], live)
        if len(wanted.strings) == 1 and (value.dtypes or value.subject == frame.axis != ""):
            found = frame.dtypes.whose_name_holds(wanted.strings[0][0])
            if value.dtypes:
                return (every, 0, live) if found & value.dtypes else (0, every, live)
            return found, every & ~found, live
        return every, every, live
    _, live = frame.expression(node, live)
    return every, every, live


def _compared(frame: Frame, left: Value, right: Value, is_equal: bool) -> tuple[int, int]:
    every = frame.dtypes.every
    for value, other in ((left, right), (right, left)):
        if other.dtypes and value.subject:
            frame.record.looked_at.add(value.subject)
            if value.subject == frame.axis:
                frame.record.told |= other.dtypes
                found = other.dtypes if is_equal else every & ~other.dtypes
                return found, every & ~found
    return every, every
