"""Scores: how much of what A does B does too, kind by kind; the lowest is the one that counts.

The denominator is what A really does. What neither does is shown and not counted, what nobody could tell scores nothing,
and where something in scope could not be read there is no score at all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from rewarp.parity.model import Parity, Side, Status, Unit


class Verdict(Enum):
    """B against A in one unit."""

    LEVEL = "level"
    GAP = "gap"
    UNKNOWN = "unknown"
    """One side could not be told; counted, and scores nothing."""
    NEITHER = "neither"
    """A does not do it either: shown, not counted."""
    ONLY_B = "only B"
    """B does what A does not: shown, not counted."""


_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Judged:
    """One unit with its verdict."""

    unit: Unit
    verdict: Verdict
    share: Fraction
    """How much of what A does B does."""
    lacking: tuple[str, ...] = ()
    """Data types that A does and B does not."""
    share_is_guess: bool = False
    """B does a part, and how much of what A does that is cannot be told: it counts half."""

    @property
    def counts(self) -> bool:
        """Whether A does it, or may do it."""
        return self.verdict in (Verdict.LEVEL, Verdict.GAP, Verdict.UNKNOWN)

    @property
    def is_gap(self) -> bool:
        """Whether B is not level as far as could be seen."""
        return self.unit.scored and self.verdict in (Verdict.GAP, Verdict.UNKNOWN)


def judge(unit: Unit) -> Judged:
    """B against A in one unit."""
    a, b = unit.a.status, unit.b.status
    if a is Status.UNKNOWN or (b is Status.UNKNOWN and a.does_something):
        return Judged(unit, Verdict.UNKNOWN, Fraction(0))
    if not a.does_something:
        return Judged(unit, Verdict.ONLY_B if b.does_something else Verdict.NEITHER, Fraction(0))
    share, lacking, guessed = _share(unit.a, unit.b)
    return Judged(unit, Verdict.LEVEL if share == 1 else Verdict.GAP, share, lacking, guessed)


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


@dataclass(frozen=True)
class KindScore:
    """One kind of units, counted."""

    kind: str
    judged: tuple[Judged, ...]
    waived: tuple[Judged, ...] = ()
    """Gaps that somebody answers for; not counted."""

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
    def columns(self) -> dict[str, int]:
        """How the units that count stand, and beside them those that do not count."""
        gaps = [one.unit.b.status for one in self.judged if one.verdict is Verdict.GAP]
        in_part = sum(status in (Status.IMPLEMENTED, Status.PARTIAL) for status in gaps)
        on_cpu = sum(status in (Status.CONDITIONAL_CPU, Status.CPU_ONLY) for status in gaps)
        default = gaps.count(Status.DEFAULT)
        return {
            "level": self.number(lambda one: one.verdict is Verdict.LEVEL),
            "partial": in_part,
            "CPU": on_cpu,
            "default": default,
            "lacking": len(gaps) - in_part - on_cpu - default,
            "unknown": self.number(lambda one: one.verdict is Verdict.UNKNOWN),
            "neither": self.number(lambda one: one.verdict is Verdict.NEITHER),
            "only B": self.number(lambda one: one.verdict is Verdict.ONLY_B),
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
        scored = [(kind.share, kind) for kind in self.kinds if kind.share is not None]
        return min(scored, key=lambda pair: pair[0])[1] if scored and not self.blocked_by else None

    @property
    def judged(self) -> list[Judged]:
        """Every scored unit that nobody waived."""
        return [one for kind in self.kinds for one in kind.judged]

    @property
    def gaps(self) -> list[Judged]:
        return [one for one in self.judged if one.is_gap]


def score(parity: Parity, waived: Collection[str] = ()) -> Scores:
    """The scores of a comparison; ``waived`` are keys of units that somebody answers for."""
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


def _obstacles(parity: Parity, kinds: Iterable[KindScore]) -> Iterable[str]:
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


def percent(share: Fraction | None) -> str:
    """A share as text; rounded down, so that only what is whole is called 100 %."""
    if share is None:
        return "–"
    tenths = int(share * 1000)
    return f"{tenths // 10} %" if tenths % 10 == 0 else f"{tenths / 10:.1f} %"
