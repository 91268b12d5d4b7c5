"""A port phase by phase: one step each, with the changes and what is left to a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rewarp.port.changes import Change, Manual, PortPhase


@dataclass(frozen=True)
class Step:
    """What one phase did."""

    phase: PortPhase
    changes: tuple[Change, ...]
    manual: tuple[Manual, ...]


def changes_of(steps: Iterable[Step]) -> list[Change]:
    return [change for step in steps for change in step.changes]


def manual_of(steps: Iterable[Step]) -> list[Manual]:
    return [item for step in steps for item in step.manual]


def by_phase(changes: Iterable[Change], manual: Iterable[Manual]) -> list[Step]:
    """One step a phase, in the order of phases.

    A file that two parts changed comes after both in the later of their phases: no later content may be lost.
    """
    latest: dict[str, PortPhase] = {}
    found: dict[PortPhase, dict[str, Change]] = {phase: {} for phase in PortPhase}
    for change in changes:
        phase = max(change.phase, latest.get(change.path, change.phase), key=lambda phase: phase.number)
        latest[change.path] = phase
        earlier = found[phase].pop(change.path, None)
        found[phase][change.path] = _merged(earlier, replace(change, phase=phase))
    left = {phase: tuple(dict.fromkeys(item for item in manual if item.phase is phase)) for phase in PortPhase}
    return [
        Step(phase, tuple(found[phase].values()), left[phase]) for phase in PortPhase if found[phase] or left[phase]
    ]


def with_gate(gate: Change, gate_name: str, steps: list[Step]) -> list[Step]:
    """The same steps, and the gate's own file in front of all that uses it."""
    users = [change.phase for step in steps for change in step.changes if gate_name.encode() in (change.after or b"")]
    phase = min([gate.phase, *users], key=lambda phase: phase.number)
    return by_phase([replace(gate, phase=phase), *changes_of(steps)], manual_of(steps))


def _merged(earlier: Change | None, later: Change) -> Change:
    if earlier is None:
        return later
    why = earlier.why if later.why in earlier.why else f"{earlier.why} {later.why}"
    return replace(later, why=why, rules=tuple(sorted({*earlier.rules, *later.rules})))
