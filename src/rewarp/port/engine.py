"""The port itself: phases in order, each on the tree that the one before it left. Nothing is written."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from rewarp.edits import Safety
from rewarp.errors import RewarpError
from rewarp.findings import Finding
from rewarp.lang import parsers
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.port.detection import gate_change, gate_for
from rewarp.port.model import Change, Gate, Manual, PhaseResult, PortContext, PortOptions, PortPhase
from rewarp.port.parts import parts_for
from rewarp.port.translation import approach_for, builds_torch_extension, hip_twin
from rewarp.port.tree import Tree
from rewarp.port.verification import Progress, certificate, evidence
from rewarp.registry import Trait, is_about
from rewarp.targets import Target
from rewarp.toolchain import DEFAULT_ARCHES
from rewarp.translation.model import SUPPORT_HEADER
from rewarp.verdict import Approach, blocking
from rewarp.verify.isolation.certificate import Certificate
from rewarp.verify.isolation.model import FileVerdict, Verdict
from rewarp.verify.model import Evidence, Outcome
from rewarp.waves.support import HEADER as WAVES_HEADER

ALL_PHASES = tuple(PortPhase)
_DEFAULTS = PortOptions()
_PASSES = 4


@dataclass(frozen=True)
class Step:
    """What one phase did."""

    phase: PortPhase
    changes: tuple[Change, ...]
    manual: tuple[Manual, ...]


@dataclass(frozen=True)
class Proof:
    """What is known of the port without a GPU."""

    certificate: Certificate
    levels: tuple[Evidence, ...]

    @property
    def unproved(self) -> list[FileVerdict]:
        """The files that may have changed for NVIDIA users, the certain ones first."""
        files = [file for file in self.certificate.files if file.verdict is not Verdict.IDENTICAL]
        return sorted(files, key=lambda file: (file.verdict is not Verdict.DIFFERENT, file.path))


@dataclass(frozen=True)
class Port:
    """A port: the tree before and after, what each phase did, and what is known about the result."""

    target: Target
    original: Tree
    """Before the first change, those of an earlier run included."""
    before: Tree
    after: Tree
    steps: tuple[Step, ...]
    gate: Gate | None
    approach: Approach | None
    proof: Proof | None
    """None where verification was left out."""

    @property
    def changes(self) -> list[Change]:
        return [change for step in self.steps for change in step.changes]

    @property
    def manual(self) -> list[Manual]:
        return [manual for step in self.steps for manual in step.manual]

    @cached_property
    def findings_before(self) -> list[Finding]:
        return self.original.findings(self.target)

    @cached_property
    def findings_after(self) -> list[Finding]:
        """What the scan still finds on the target's side."""
        return [finding for finding in self.after.findings(self.target) if not self._is_settled(finding)]

    def _is_settled(self, finding: Finding) -> bool:
        """Whether a finding is about a file that the target never sees as it is."""
        if posixpath.basename(finding.path) in (SUPPORT_HEADER, WAVES_HEADER):
            return True
        if kind_of_path(finding.path) not in CPP_KINDS or self.target.name != "rocm":
            return False
        if builds_torch_extension(self.after, self.target):
            return is_about(finding.rule, Trait.TORCH_TRANSLATES) and finding.safety is Safety.SAFE
        return hip_twin(finding.path, self.after) is not None

    @cached_property
    def left(self) -> list[Finding]:
        """What still stands in the way."""
        return [finding for finding in self.findings_after if blocking(finding)]

    @property
    def done(self) -> bool:
        """Whether nothing is left to a person and everything was proved."""
        if self.manual or self.left or self.proof is None or self.proof.unproved:
            return False
        return all(level.outcome is not Outcome.FAILED for level in self.proof.levels)


def port(
    tree: Tree,
    target: Target,
    *,
    phases: Collection[PortPhase] = ALL_PHASES,
    options: PortOptions = _DEFAULTS,
    original: Tree | None = None,
    arches: tuple[str, ...] = DEFAULT_ARCHES,
    prove: bool = True,
    progress: Callable[[str], None] = lambda doing: None,
) -> Port:
    """Port a tree. ``original`` is the tree before an earlier run that this one goes on with. Without ``prove`` there are
    the changes of the verification phase, and no proof."""
    context = PortContext(target, gate_for(tree, target), options, frozenset(phases))
    steps = _steps(tree, context, progress)
    if context.gate:
        made = gate_change(tree, context.gate, [change for step in steps for change in step.changes])
        steps = _with_gate(made, context.gate.name, steps) if made else steps
    proof = None
    if prove and PortPhase.VERIFICATION in phases:
        progress("verifying")
        steps, proof = _proved(
            tree, original or tree, steps, target, arches, lambda done, total: progress(f"compiling, {done} of {total}")
        )
    after = tree.with_changes(change for step in steps for change in step.changes)
    approach = approach_for(tree, context)
    result = Port(target, original or tree, tree, after, tuple(steps), context.gate, approach, proof)
    return _told(result, context)


def _told(result: Port, context: PortContext) -> Port:
    """The port with a note for everything in the way that no part changed or spoke of."""
    said = {(item.path, rule) for item in result.manual for rule in item.rule.split(", ")}
    notes = [
        Manual(finding.path, finding.line, PortPhase(finding.phase), finding.message, finding.fix, finding.rule)
        for finding in result.left
        if (finding.path, finding.rule) not in said and PortPhase(finding.phase) in context.phases
    ]
    if not notes:
        return result
    changes = [change for step in result.steps for change in step.changes]
    return replace(result, steps=tuple(_by_phase(changes, [*result.manual, *notes])))


def _proved(
    tree: Tree, original: Tree, steps: list[Step], target: Target, arches: tuple[str, ...], progress: Progress
) -> tuple[list[Step], Proof]:
    """The steps without what changes NVIDIA's side, and the proof of the rest."""
    after = tree.with_changes(change for step in steps for change in step.changes)
    found = certificate(original, after)
    harmful = {file.path: file.why for file in found.files if file.verdict is Verdict.DIFFERENT}
    dropped = [change for step in steps for change in step.changes if change.path in harmful]
    if dropped:
        kept = [change for step in steps for change in step.changes if change.path not in harmful]
        notes = [
            Manual(
                c.path, None, c.phase, c.why, f"it would change NVIDIA's side: {harmful[c.path]}", ", ".join(c.rules)
            )
            for c in dropped
        ]
        steps = _by_phase(kept, [*(item for step in steps for item in step.manual), *notes])
        after = tree.with_changes(kept)
        found = certificate(original, after)
    return steps, Proof(found, evidence(after, found, target, arches, progress))


def _steps(tree: Tree, context: PortContext, progress: Callable[[str], None]) -> list[Step]:
    """All parts, again and again until they leave the tree as it is: a second port then has nothing to do."""
    changes: list[Change] = []
    manual: list[Manual] = []
    for _ in range(_PASSES):
        found: list[Change] = []
        manual = []
        for name, run in parts_for(context.target.name).items():
            progress(name)
            result = _checked(run(tree, context), tree, context)
            tree = tree.with_changes(result.changes)
            found += result.changes
            manual += result.manual
        changes += found
        if not found:
            break
    return _by_phase(changes, manual)


def _by_phase(changes: Iterable[Change], manual: Iterable[Manual]) -> list[Step]:
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
    by_phase = {phase: tuple(dict.fromkeys(item for item in manual if item.phase is phase)) for phase in PortPhase}
    return [
        Step(phase, tuple(found[phase].values()), by_phase[phase])
        for phase in PortPhase
        if found[phase] or by_phase[phase]
    ]


def _with_gate(gate: Change, gate_name: str, steps: list[Step]) -> list[Step]:
    """The same steps, and the gate's own file in front of all that uses it."""
    users = [change.phase for step in steps for change in step.changes if gate_name.encode() in (change.after or b"")]
    phase = min([gate.phase, *users], key=lambda phase: phase.number)
    changes = [replace(gate, phase=phase), *(change for step in steps for change in step.changes)]
    return _by_phase(changes, [item for step in steps for item in step.manual])


def _merged(earlier: Change | None, later: Change) -> Change:
    if earlier is None:
        return later
    why = earlier.why if later.why in earlier.why else f"{earlier.why} {later.why}"
    return replace(later, why=why, rules=tuple(sorted({*earlier.rules, *later.rules})))


# --- distrust -------------------------------------------------------------------------------


def _checked(result: PhaseResult, tree: Tree, context: PortContext) -> PhaseResult:
    """A part's result without what changes nothing; a change that breaks a file becomes a note to a person."""
    changes: list[Change] = []
    manual = [item for item in result.manual if item.phase in context.phases]
    for change in result.changes:
        if change.phase not in context.phases:
            continue
        if _leaves(change.path):
            raise RewarpError(f"a part of the port wants to write to {change.path}, outside the project")
        before = tree.read(change.path)
        if change.after == before:
            continue
        if kind_of_path(change.path) is Kind.PYTHON and _parses(before) and not _parses(change.after):
            why = "the change that rewarp made did not parse, and was dropped"
            manual.append(Manual(change.path, None, change.phase, change.why, why, ", ".join(change.rules)))
        else:
            changes.append(change)
    return PhaseResult(changes, manual)


def _leaves(path: str) -> bool:
    """Whether a path does not lie in the tree, or lies in git's own folder."""
    parts = path.split("/")
    return posixpath.normpath(path) != path or path.startswith("/") or parts[0] in ("..", ".git", ".", "")


def _parses(data: bytes | None) -> bool:
    if data is None:
        return True
    try:
        parsers.python(data)
    except (SyntaxError, ValueError):
        return False
    return True
