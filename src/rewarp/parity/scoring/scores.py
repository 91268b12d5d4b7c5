"""Scores: how much of what A does B does too, kind by kind; the lowest is the one that counts.

The denominator is what A really does. What neither does is shown and not counted, what nobody could tell scores nothing,
and where something in scope could not be read there is no score at all. Nor is there one of a handful: the units must
stand for most of what A has, and most of them must have been told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Annotated, TypedDict

from rewarp.parity.units import Parity, Side, Status, Unit
from rewarp.schema import AtLeast


class GateVerdict(Enum):
    """B against A in one unit."""

    LEVEL = "level"
    GAP = "gap"
    UNKNOWN = "unknown"
    """One side could not be told; counted, and scores nothing."""
    NEITHER = "neither"
    """A does not do it either: shown, not counted."""
    ONLY_B = "only B"
    """B does what A does not: shown, not counted."""


_Count = Annotated[int, AtLeast(0)]
Columns = TypedDict(
    "Columns",
    {
        "level": _Count,
        "partial": _Count,
        "CPU": _Count,
        "default": _Count,
        "lacking": _Count,
        "unknown": _Count,
        "neither": _Count,
        "only B": _Count,
        "waived": _Count,
    },
)
"""How units stand; in this order on pages."""
_HALF = Fraction(1, 2)
_ENDS_IN_ERROR = re.compile(r"ends in an error for (.*?)(?: and (\d+) more)?(?:;|$)")
FEWEST = 10
"""Units below which there is no score, of a kind or of all."""
LEAST_SEEN = Fraction(1, 2)
"""Of A's kernels, functions or classes so many must be what a unit stands for."""
FEW_TO_SEE = 5
"""Of so few, the share says nothing."""
MOST_UNKNOWN = Fraction(15, 100)
MOST_UNKNOWN_OF_KIND = Fraction(1, 3)
"""Of the lowest kind alone, where of all kinds fewer are: unknown scores nothing, so what is said is the least that holds."""
TOO_LITTLE = "too little seen to score"
ALL_KINDS = "all kinds together"


@dataclass(frozen=True)
class Judged:
    """One unit with its verdict."""

    unit: Unit
    verdict: GateVerdict
    share: Fraction
    """How much of what A does B does."""
    lacking: tuple[str, ...] = ()
    """Data types that A does and B does not."""
    share_is_guess: bool = False
    """B does a part, and how much of what A does that is cannot be told: it counts half."""

    @property
    def counts(self) -> bool:
        """Whether A does it, or may do it."""
        return self.verdict in (GateVerdict.LEVEL, GateVerdict.GAP, GateVerdict.UNKNOWN)

    @property
    def is_gap(self) -> bool:
        """Whether B is not level as far as could be seen."""
        return self.unit.scored and self.verdict in (GateVerdict.GAP, GateVerdict.UNKNOWN)


def judge(unit: Unit) -> Judged:
    """B against A in one unit."""
    a, b = unit.a.status, unit.b.status
    if a is Status.UNKNOWN or (b is Status.UNKNOWN and a.does_something):
        return Judged(unit, GateVerdict.UNKNOWN, Fraction(0))
    if not a.does_something:
        return Judged(unit, GateVerdict.ONLY_B if b.does_something else GateVerdict.NEITHER, Fraction(0))
    if b is Status.DEFAULT:
        # What is brought for all works; whether it is all that B needs nobody can tell.
        return Judged(unit, GateVerdict.UNKNOWN, Fraction(0))
    share, lacking, guessed = _share(unit.a, unit.b)
    if guessed and a is b is Status.PARTIAL and not lacking:
        # Both fail for some inputs, and nothing that was seen tells for which one alone does.
        if _fails_no_more(unit.a, unit.b):
            return Judged(unit, GateVerdict.LEVEL, Fraction(1))
        return Judged(unit, GateVerdict.UNKNOWN, Fraction(0))
    return Judged(unit, GateVerdict.LEVEL if share == 1 else GateVerdict.GAP, share, lacking, guessed)


def _fails_no_more(a: Side, b: Side) -> bool:
    """Whether B ends in an error for nothing that A does not end in one for, as both name what that is."""
    ones, others = (_failing(side.why) for side in (a, b))
    return not b.missing_kernels and bool(others[0]) and others[0] <= ones[0] and others[1] <= ones[1]


def _failing(why: str) -> tuple[set[str], int]:
    """What a side says that it ends in an error for, and how many there are of it."""
    found = _ENDS_IN_ERROR.match(why)
    if found is None:
        return set(), 0
    names = set(found[1].split(", "))
    return names, len(names) + int(found[2] or 0)


def _share(a: Side, b: Side) -> tuple[Fraction, tuple[str, ...], bool]:
    """How much of A's doing B has; the data types it lacks; whether the share is a guess."""
    # Where A tells no data types apart, it does all of those that B tells apart.
    wanted = {name: status for name, status in a.dtypes.items() if status.does_something}
    wanted = wanted or dict.fromkeys(() if a.dtypes else b.dtypes, Status.IMPLEMENTED)
    share = _points(a.status, b.status)
    if not share:
        return Fraction(0), tuple(wanted), False
    asked, missing = {*b.kernels, *b.missing_kernels}, set(b.missing_kernels)
    existing = Fraction(len(asked) - len(missing), len(asked)) if missing else Fraction(1)
    if not wanted or not b.dtypes:
        return (existing, (), False) if missing else (share, (), share == _HALF)
    points = {name: _cell(status, b.dtypes.get(name, Status.MISSING)) for name, status in wanted.items()}
    mean = sum(points.values(), Fraction(0)) / len(points)
    lacking = tuple(name for name, value in points.items() if not value)
    if any(status is not Status.IMPLEMENTED for status in b.dtypes.values()):
        return mean, lacking, _HALF in points.values()
    # Partial for a reason that no data type shows: kernels that do not exist, or a branch that ends in an error.
    return (min(mean, existing), lacking, False) if missing else (min(mean, share), lacking, share == _HALF)


def _points(a: Status, b: Status) -> Fraction:
    """What B's status is worth where A does something: a part counts half, for how much it is cannot be told."""
    if b is Status.IMPLEMENTED:
        return Fraction(1)
    # The CPU in B's place is worth nothing, but where A leaves some inputs to the CPU too.
    in_part = b is Status.PARTIAL or (b is Status.CONDITIONAL_CPU and a is Status.CONDITIONAL_CPU)
    return _HALF if in_part else Fraction(0)


def _cell(a: Status, b: Status) -> Fraction:
    """One data type: the finest that can be compared, so that equal is level."""
    return Fraction(1) if a is b else _points(a, b)


def _is_default(one: Judged) -> bool:
    return one.unit.b.status is Status.DEFAULT and one.unit.a.status is not Status.UNKNOWN


@dataclass(frozen=True)
class KindScore:
    """One kind of units, counted."""

    kind: str
    judged: tuple[Judged, ...]
    waived: tuple[Judged, ...] = ()
    """Waived gaps; not counted."""

    @property
    def counted(self) -> int:
        return sum(one.counts for one in self.judged)

    @property
    def share(self) -> Fraction | None:
        """None where A does nothing of this kind."""
        counted = [one.share for one in self.judged if one.counts]
        return sum(counted, Fraction(0)) / len(counted) if counted else None

    @property
    def guessed(self) -> int:
        """Units that count half."""
        return sum(one.share_is_guess for one in self.judged)

    def number(self, holds: Callable[[Judged], bool]) -> int:
        return sum(1 for one in self.judged if holds(one))

    @property
    def columns(self) -> Columns:
        """How the units that count stand, and beside them those that do not count."""
        gaps = [one.unit.b.status for one in self.judged if one.verdict is GateVerdict.GAP]
        in_part = sum(status in (Status.IMPLEMENTED, Status.PARTIAL) for status in gaps)
        on_cpu = sum(status in (Status.CONDITIONAL_CPU, Status.CPU_ONLY) for status in gaps)
        return {
            "level": self.number(lambda one: one.verdict is GateVerdict.LEVEL),
            "partial": in_part,
            "CPU": on_cpu,
            "default": self.number(lambda one: one.verdict is GateVerdict.UNKNOWN and _is_default(one)),
            "lacking": len(gaps) - in_part - on_cpu,
            "unknown": self.number(lambda one: one.verdict is GateVerdict.UNKNOWN and not _is_default(one)),
            "neither": self.number(lambda one: one.verdict is GateVerdict.NEITHER),
            "only B": self.number(lambda one: one.verdict is GateVerdict.ONLY_B),
            "waived": len(self.waived),
        }


@dataclass(frozen=True)
class Scores:
    """Every kind that is scored, and what stands in the way of a score."""

    kinds: tuple[KindScore, ...]
    shown: tuple[Judged, ...]
    """Units that are not scored."""
    blocked_by: tuple[str, ...] = ()

    @property
    def lowest(self) -> KindScore | None:
        """The kind whose score counts; None where no score can be computed."""
        return None if self.blocked_by else _lowest(self.kinds)

    @property
    def has_seen_too_little(self) -> bool:
        """Whether nothing else stands in the way of a score."""
        return bool(self.blocked_by) and all(reason.startswith(TOO_LITTLE) for reason in self.blocked_by)

    @property
    def judged(self) -> list[Judged]:
        """Every scored unit that nobody waived."""
        return [one for kind in self.kinds for one in kind.judged]

    @property
    def gaps(self) -> list[Judged]:
        return [one for one in self.judged if one.is_gap]


def score(parity: Parity, waived: Collection[str] = ()) -> Scores:
    """The scores of a comparison; ``waived`` are keys of waived units."""
    judged = [judge(unit) for unit in parity.units]
    by_kind: dict[str, list[Judged]] = {}
    for one in judged:
        if one.unit.scored:
            by_kind.setdefault(one.unit.kind, []).append(one)
    kinds = tuple(_kind(kind, found, waived) for kind, found in sorted(by_kind.items()))
    shown = tuple(one for one in judged if not one.unit.scored)
    return Scores(kinds, shown, tuple(_obstacles(parity, kinds)))


def _kind(kind: str, judged: list[Judged], waived: Collection[str]) -> KindScore:
    def excused(one: Judged) -> bool:
        return one.is_gap and one.unit.key in waived

    return KindScore(
        kind,
        tuple(one for one in judged if not excused(one)),
        tuple(one for one in judged if excused(one)),
    )


def _lowest(kinds: Iterable[KindScore]) -> KindScore | None:
    """The kind with the lowest share. Those of a handful are scored with all others: alone they say too little."""
    kinds = [kind for kind in kinds if kind.counted]
    scored = [kind for kind in kinds if kind.counted >= FEWEST]
    if len(scored) < len(kinds):
        scored.append(KindScore(ALL_KINDS, tuple(one for kind in kinds for one in kind.judged)))
    shares = [(kind.share, kind) for kind in scored if kind.share is not None]
    return min(shares, key=lambda pair: pair[0])[1] if shares else None


def _too_little(parity: Parity, kinds: tuple[KindScore, ...]) -> Iterable[str]:
    """Why what was seen is not enough for a headline."""
    counted = sum(kind.counted for kind in kinds)
    found = counted + sum(len(kind.waived) for kind in kinds)
    if found < FEWEST:
        yield f"{TOO_LITTLE}: {found} of the {FEWEST} units that a score needs"
    for one in parity.coverage:
        if one.total >= FEW_TO_SEE and one.seen < LEAST_SEEN * one.total:
            first = ", ".join(one.unseen[:4])
            more = f" and {one.total - one.seen - 4:,} more" if one.total - one.seen > 4 else ""
            yield (
                f"{TOO_LITTLE}: the units stand for {one.seen:,} of {one.total:,} {one.what} of {parity.a}; "
                f"not seen: {first}{more}"
            )
    lowest = _lowest(kinds)
    unknown = sum(kind.columns["unknown"] for kind in kinds)
    if unknown > MOST_UNKNOWN * counted:
        yield f"{TOO_LITTLE}: {unknown:,} of {counted:,} units could not be told"
    elif lowest and lowest.columns["unknown"] > MOST_UNKNOWN_OF_KIND * lowest.counted:
        told = f"{lowest.columns['unknown']:,} of {lowest.counted:,} units"
        yield f"{TOO_LITTLE}: of the lowest kind ({lowest.kind}) {told} could not be told"


def _obstacles(parity: Parity, kinds: tuple[KindScore, ...]) -> Iterable[str]:
    """Why there can be no score."""
    for problem in parity.problems:
        if problem.blocks_score:
            place = f"{problem.path}:{problem.line}" if problem.line else problem.path
            yield f"{place}: {problem.what}" if place else problem.what
    if not parity.units:
        yield f"nothing was found that {parity.a} and {parity.b} both stand behind"
    elif not any(kind.counted for kind in kinds):
        waived = any(kind.waived for kind in kinds)
        yield f"everything that {parity.a} does is waived" if waived else f"nothing was found that {parity.a} does"
    else:
        yield from _too_little(parity, kinds)


def percent(share: Fraction | None) -> str:
    """A share as text; rounded down, so that only what is whole is called 100 %."""
    if share is None:
        return "–"
    tenths = int(share * 1000)
    return f"{tenths // 10} %" if tenths % 10 == 0 else f"{tenths / 10:.1f} %"
