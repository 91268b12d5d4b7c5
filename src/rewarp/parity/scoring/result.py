"""A comparison with everything that people ask of it: scores, what is excused, what comes first, what changed."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from rewarp.parity.scoring import baseline, waivers
from rewarp.parity.scoring.baseline import Delta
from rewarp.parity.scoring.priorities import Priority, priorities
from rewarp.parity.scoring.scores import Judged, Scores, score
from rewarp.parity.scoring.waivers import Waiver, Waivers
from rewarp.parity.units import Parity
from rewarp.workspace import Tree


@dataclass(frozen=True)
class Result:
    """What every view shows."""

    parity: Parity
    scores: Scores
    waivers: Waivers = field(default_factory=Waivers)
    codes: Mapping[str, str] = field(default_factory=dict)
    """Fingerprints of the code behind gaps, for waivers."""
    delta: Delta | None = None

    @cached_property
    def priorities(self) -> list[Priority]:
        return priorities(self.scores.gaps)

    @property
    def judged(self) -> list[Judged]:
        """Every unit, in the order of the comparison: by kind, owner and name; those that are not scored last."""
        kinds = [one for kind in self.scores.kinds for one in (*kind.judged, *kind.waived)]
        return [*sorted(kinds, key=lambda one: (one.unit.kind, one.unit.owner, one.unit.name)), *self.scores.shown]


def judged(
    parity: Parity,
    tree: Tree,
    *,
    excuses: Iterable[Waiver] = (),
    baseline_file: Path | None = None,
    today: datetime.date | None = None,
) -> Result:
    """A comparison, judged: with the waivers that hold, against the baseline."""
    gaps = score(parity).gaps
    codes = waivers.fingerprints([one.unit for one in gaps], tree)
    checked = waivers.check(excuses, gaps, codes, today or datetime.date.today())
    scores = score(parity, checked.keys)
    delta = baseline.compare(scores, baseline.read(baseline_file, parity)) if baseline_file is not None else None
    return Result(parity, scores, checked, codes, delta)
