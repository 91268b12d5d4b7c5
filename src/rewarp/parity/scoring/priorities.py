"""Which gap to close first: the one that most users hit, with the reason in words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rewarp.parity.scoring.scores import GateVerdict, Judged
from rewarp.parity.units import Status

_COMMON = {"f32": 8, "f16": 7, "bf16": 7, "u8": 4, "u32": 4, "i64": 4, "i32": 4, "q4_0": 4, "q4k": 4, "q8_0": 4}
"""How often models use a data type; those not named here count one."""
_SPELLINGS = {"float": "f32", "float32": "f32", "half": "f16", "float16": "f16", "__half": "f16", "bfloat16": "bf16"}
_WHOLE = 8


@dataclass(frozen=True)
class Priority:
    """A gap and its weight."""

    gap: Judged
    weight: float
    reason: str


def priorities(gaps: Iterable[Judged]) -> list[Priority]:
    """Gaps, those that users hit first in front; of equal ones, in the order of their names.

    What a default does for all back ends is done, if not by the back end's own code: such gaps come after all others.
    """
    found = [Priority(gap, _weight(gap), _reason(gap)) for gap in gaps]
    return sorted(found, key=lambda one: (_is_default(one.gap), -one.weight, one.gap.unit.key))


def _is_silent(gap: Judged) -> bool:
    """Whether users get neither a result nor an error; a body that only says that it is to be written does say so."""
    status = gap.unit.b.status
    return status is Status.NO_OP or (status is Status.STUB and "does nothing" in gap.unit.b.why)


def _is_default(gap: Judged) -> bool:
    return gap.unit.b.status is Status.DEFAULT and gap.unit.a.status is not Status.UNKNOWN


def commonness(dtype: str) -> int:
    """How common a data type is, from 1 to 8."""
    # Of several data types that a unit takes, an analyser names which one is meant: `ids: u32`.
    name = dtype.lower().rpartition(": ")[2]
    return _COMMON.get(_SPELLINGS.get(name, name), 1)


def _weight(gap: Judged) -> float:
    """Places that reach it (by their magnitude: calls are counted by name), times how common the data types are that
    fail, times how badly it fails."""
    status = gap.unit.b.status
    common = max((commonness(name) for name in gap.lacking), default=_WHOLE)
    badness = (
        2.0 if _is_silent(gap) else 0.5 if gap.verdict is GateVerdict.UNKNOWN or status is Status.CPU_ONLY else 1.0
    )
    return math.log2(2 + gap.unit.users) * common * badness * float(1 - gap.share)


def _reason(gap: Judged) -> str:
    unit, status = gap.unit, gap.unit.b.status
    parts = []
    if unit.users:
        parts.append(f"reached from {unit.users:,} {'place' if unit.users == 1 else 'places'}")
    if gap.lacking:
        named = sorted(gap.lacking, key=lambda name: (-commonness(name), name))
        more = f" and {len(named) - 4} more" if len(named) > 4 else ""
        parts.append(f"not for {', '.join(named[:4])}{more}")
    if _is_default(gap):
        parts.append("does what all others do by default, nothing of its own")
    elif gap.verdict is GateVerdict.UNKNOWN:
        parts.append(
            "what the leading side does could not be told" if unit.a.status is Status.UNKNOWN else "could not be told"
        )
    elif _is_silent(gap):
        parts.append("says nothing and does nothing")
    elif status is Status.STUB:
        parts.append("is not written yet")
    elif status in (Status.CPU_ONLY, Status.CONDITIONAL_CPU):
        parts.append("works, on the CPU" if status is Status.CPU_ONLY else "on the CPU for some inputs")
    if unit.b.missing_kernels:
        parts.append(f"asks for kernels that do not exist ({', '.join(unit.b.missing_kernels[:3])})")
    return "; ".join(parts) or status.value
