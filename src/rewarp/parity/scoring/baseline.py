"""A baseline: an earlier comparison, so that a pull request answers for what it changes and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from rewarp.errors import UsageError
from rewarp.lang import parsers
from rewarp.parity.scoring.scores import GateVerdict, Judged, Scores
from rewarp.parity.units import Parity

SCHEMA: Literal["rewarp.parity/1"] = "rewarp.parity/1"


@dataclass(frozen=True)
class Before:
    """One unit as it was."""

    key: str
    verdict: GateVerdict
    share: Fraction
    status: str
    """B's."""
    lacking: frozenset[str]
    scored: bool

    @property
    def is_gap(self) -> bool:
        return self.scored and self.verdict in (GateVerdict.GAP, GateVerdict.UNKNOWN)


@dataclass(frozen=True)
class Baseline:
    """An earlier comparison, as far as a later one needs it."""

    units: dict[str, Before]
    percents: dict[str, float | None]
    """Scores by kind."""
    computable: bool


@dataclass(frozen=True)
class Delta:
    """What changed since the baseline."""

    before: Baseline
    new_gaps: tuple[Judged, ...] = ()
    """No gap before: a new unit, or one that was level."""
    worse: tuple[tuple[Judged, Before], ...] = ()
    """Gaps that lost something."""
    better: tuple[tuple[Judged, Before], ...] = ()
    closed: tuple[tuple[Judged, Before], ...] = ()
    gone: tuple[Before, ...] = ()
    """Gaps of units that are no more: renamed or removed, not closed."""

    @property
    def has_new_gap(self) -> bool:
        return bool(self.new_gaps or self.worse)


def read(file: Path, parity: Parity) -> Baseline:
    """An earlier ``--json`` of the same two back ends."""
    try:
        data = parsers.from_json(file.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            raise UsageError(f"{file}: schema {data['schema']!r} is not {SCHEMA}")
        if (data["a"], data["b"]) != (parity.a, parity.b):
            raise UsageError(f"{file} compares {data['a']} with {data['b']}, not {parity.a} with {parity.b}")
        units = {unit["key"]: _unit(unit) for unit in data["units"]}
        percents = {kind["kind"]: kind["percent"] for kind in data["score"]["kinds"]}
        return Baseline(units, percents, bool(data["score"]["computable"]))
    except OSError as error:
        raise UsageError(f"cannot read the baseline {file}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
        raise UsageError(f"{file} is not the JSON of a parity comparison") from None


def _unit(data: dict[str, Any]) -> Before:
    return Before(
        data["key"],
        GateVerdict(data["verdict"]),
        Fraction(*data["share"]),
        data["b"]["status"],
        frozenset(data["lacking"]),
        data["scored"],
    )


def compare(scores: Scores, before: Baseline) -> Delta:
    """What changed; waived gaps are left out of ``scores`` already."""
    new, worse, better, closed = [], [], [], []
    for now in scores.judged:
        known = before.units.get(now.unit.key)
        if now.is_gap:
            if known is None or not known.is_gap:
                new.append(now)
            elif now.share < known.share or set(now.lacking) - known.lacking:
                worse.append((now, known))
            elif now.share > known.share or known.lacking - set(now.lacking):
                better.append((now, known))
        elif known is not None and known.is_gap and now.verdict is GateVerdict.LEVEL:
            closed.append((now, known))
    here = {one.unit.key for one in scores.judged} | {one.unit.key for kind in scores.kinds for one in kind.waived}
    gone = [known for key, known in before.units.items() if known.is_gap and key not in here]
    return Delta(before, tuple(new), tuple(worse), tuple(better), tuple(closed), tuple(gone))
