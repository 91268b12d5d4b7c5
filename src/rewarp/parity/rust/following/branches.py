"""`match` and `if`: which data types take which branch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from rewarp.lang.rust_tree import last_segment
from rewarp.parity.names.backends import backend_of
from rewarp.parity.rust.following.conditions import asks_for_name, condition, tests_text
from rewarp.parity.rust.following.paths import NO_KERNEL, Exit, Gap, Live, merged, only, reach
from rewarp.parity.rust.following.patterns import of_pattern
from rewarp.parity.rust.following.values import UNKNOWN, Value, either
from rewarp.parity.rust.reading.cfg import is_built
from rewarp.parity.rust.reading.tree import (
    Arm,
    Binary,
    Block,
    Call,
    Expression,
    If,
    Literal,
    Match,
    Method,
    Not,
    Other,
    Path,
    Pattern,
    Return,
    Several,
    Tuple,
    Variant,
    alternatives,
    takes_all,
)

if TYPE_CHECKING:
    from rewarp.parity.rust.following.follow import Frame

_OF_RESULTS = frozenset(("Some", "None", "Ok", "Err"))
_NOTHING = ((Tuple(()),), (Other(),))


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
            true, false, here = condition(frame, arm.guard, here)
            here = only(here, true)
            left &= misses | false if looks or takes_all(arm.pattern) else frame.dtypes.every
        elif looks or takes_all(arm.pattern):
            left &= misses
        found, out = frame.expression(arm.value, here)
        if here and not out:
            dead.append(arm)
            lost.append((arm, reach(here)))
        elif looks and out:
            taken |= fits
        outs.append(out)
        values.append(found.where(fits & reach(here)) if looks else found)
        frame.names = dict(outside)
    if not looks_at_all and value.subject not in ("", frame.axis):
        _note_same(frame, value.subject, [(arm, reach(out)) for arm, out in zip(arms, outs) if out], exits)
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


def _note_same(frame: Frame, other: str, lived: list[tuple[Arm, int]], exits: int) -> None:
    """`match q.dtype() { F16 => fwd::<f16>(q, k), … }`: every arm lets only its own data type of `k` through."""
    through = 0
    for arm, dtypes in lived:
        named = 0
        for path in _variants(arm.pattern):
            named |= frame.dtypes.of(path)
        if not frame.axis or not named or dtypes & ~named:
            return
        through |= dtypes
    if through:
        pair = frozenset((frame.axis, other))
        frame.record.tied.add(pair)
        frame.record.equal.add(pair)
        # That the other's arms do not take it is no lack.
        later = [replace(e, dtypes=e.dtypes & ~through) if e.is_for_type else e for e in frame.record.exits[exits:]]
        frame.record.exits[exits:] = [e for e in later if e.dtypes]


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
    frame.compared = []
    true, false, live = condition(frame, node.condition, live)
    compared = frame.compared
    if _is_early_out(node):
        # Nothing to do for an empty tensor says nothing about what can be done.
        frame.names = outside
        return UNKNOWN, only(live, false)
    returned = len(frame.record.returned)
    first, then = frame.expression(node.then, only(live, true))
    frame.names = outside
    rest = only(live, false)
    second, otherwise = frame.expression(node.otherwise, rest) if node.otherwise is not None else (UNKNOWN, rest)
    if live and not (then and otherwise) and len(frame.record.returned) == returned:
        _note_equal(frame, node.condition, compared, is_error=not then)
    if node.otherwise is not None and rest and then and not otherwise and tests_text(frame, node.condition):
        is_last = not isinstance(node.otherwise, If)
        if is_last:
            place = frame.place(node.line, "names other than those given end in an error")
            frame.record.gaps.append(Gap("names other than those given", frame.dtypes.every, (place,)))
    value = either(value for value, out in ((first.where(true), then), (second.where(false), otherwise)) if out)
    is_by_name = true == false and asks_for_name(node.condition)
    return value.told_by_nobody(frame.dtypes.every) if is_by_name else value, merged((then, otherwise))


def _note_equal(frame: Frame, node: Expression, compared: list[tuple[frozenset[str], bool]], *, is_error: bool) -> None:
    """`if a.dtype() != b.dtype() { bail!(…) }`: parameters that must have the same data type."""
    joined_by = {"||"} if is_error else {"&&"}
    if _joints(node) <= joined_by:
        pairs = {pair for pair, is_equal in compared if is_equal is not is_error}
        frame.record.equal |= pairs
        frame.record.tied |= pairs


def _joints(node: Expression) -> set[str]:
    if isinstance(node, Not):
        return {"!"}
    if isinstance(node, Binary) and node.operator in ("&&", "||"):
        return {node.operator} | _joints(node.left) | _joints(node.right)
    return set()


def _is_early_out(node: If) -> bool:
    """`if n == 0 { return Ok(out); }`, whatever is made ready for it before."""
    body = node.then
    if node.otherwise is not None or not isinstance(body, Block):
        return False
    steps = (*body.items, *((body.tail,) if body.tail is not None else ()))
    if not steps or not isinstance(steps[-1], Return):
        return False
    given = steps[-1].value
    does_nothing = given is None or (isinstance(given, Call) and given.path == "Ok" and given.arguments in _NOTHING)
    return (does_nothing and len(steps) == 1) or (not _ends_in_error(given) and _is_about_nothing(node.condition))


def _ends_in_error(node: Expression | None) -> bool:
    return isinstance(node, Call) and node.path == "Err"


def _is_about_nothing(node: Expression) -> bool:
    """Whether a condition asks for an empty tensor: `n == 0`, `shape.is_empty()`."""
    if isinstance(node, Binary) and node.operator in ("||", "&&"):
        return _is_about_nothing(node.left) and _is_about_nothing(node.right)
    if isinstance(node, Binary):
        return node.operator == "==" and any(isinstance(s, Path) and s.name[:1] == "0" for s in (node.left, node.right))
    return isinstance(node, Method) and node.name == "is_empty"
