"""The port itself: phases in order, each on the tree that the one before it left. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from rewarp.port.changes import Change, Manual, PortContext, PortOptions, PortPhase
from rewarp.port.cpp.old_torch import speaks_of_old_torch
from rewarp.port.cpp.translation import approach_for
from rewarp.port.dropping.idle import without_idle
from rewarp.port.dropping.unfit import without_failed, without_harmful, without_misfits
from rewarp.port.packaging import ci
from rewarp.port.parts import parts_for
from rewarp.port.planning.existing_support import support_there
from rewarp.port.proving.evidence import Progress, certificate, evidence
from rewarp.port.proving.well_formed import well_formed
from rewarp.port.python.gate import find_gates, gate_change, gate_for, is_worth_a_file
from rewarp.port.result import Port, Proof
from rewarp.port.rust.formatting import formatted
from rewarp.port.steps import Step, by_phase, changes_of, manual_of, with_gate
from rewarp.port.tree import Tree
from rewarp.targets import Target
from rewarp.toolchain import DEFAULT_ARCHES
from rewarp.verify.checks import Check, Level, Outcome

ALL_PHASES = tuple(PortPhase)
_DEFAULTS = PortOptions()
_PASSES = 4


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
    gates = find_gates(tree) if target.name == "rocm" else []
    old = target.name == "rocm" and speaks_of_old_torch(tree)
    support = support_there(original or tree, target)
    context = PortContext(
        target, None if old else gate_for(tree, target), options, frozenset(phases), tuple(gates), support, old
    )
    steps = _steps(tree, context, progress)
    if context.gate and not is_worth_a_file(tree, context.gate, changes_of(steps)):
        context = replace(context, gate=None)
        steps = _steps(tree, context, progress)
    if context.gate:
        made = gate_change(tree, context.gate, changes_of(steps))
        steps = with_gate(made, context.gate.name, steps) if made else steps
    if PortPhase.BUILD in phases:
        progress("reading the builds")
        steps = without_misfits(tree, steps, context)
    steps = without_idle(tree, steps, context)
    changes, notes = formatted(tree, changes_of(steps))
    steps = by_phase(changes, [*manual_of(steps), *notes])
    if options.ci:
        progress("running the steps of CI")
        steps = _with_ci(tree, steps, target, options.ci_from)
    proof = None
    if prove and PortPhase.VERIFICATION in phases:
        progress("verifying")
        steps, proof = _proved(
            tree,
            original or tree,
            steps,
            context,
            arches,
            lambda done, total: progress(f"compiling, {done} of {total}"),
        )
    after = tree.with_changes(changes_of(steps))
    approach = approach_for(tree, context)
    result = Port(target, original or tree, tree, after, tuple(steps), context.gate, approach, proof, support)
    return _told(_without_settled(result), context)


def _without_settled(result: Port) -> Port:
    """The port without failures of the static level that say what a finding says, and that is settled."""
    if result.proof is None:
        return result
    settled = {(f.path, f.line) for f in result.after.findings(result.target) if result.is_settled(f)}

    def is_open(check: Check) -> bool:
        return check.outcome is not Outcome.FAILED or (check.path, check.line) not in settled

    levels = tuple(
        replace(level, checks=tuple(filter(is_open, level.checks))) if level.level is Level.STATIC else level
        for level in result.proof.levels
    )
    return replace(result, proof=replace(result.proof, levels=levels))


def _with_ci(tree: Tree, steps: list[Step], target: Target, given: str | None) -> list[Step]:
    """The steps, and a CI job where it passes on what they make of the tree."""
    changes = changes_of(steps)
    address = given or ci.own_address()
    made = ci.job(tree.with_changes(changes), bool(changes), target.name, ci.steps_from(address) if address else None)
    return by_phase([*changes, *made.changes], [*manual_of(steps), *made.manual])


def _told(result: Port, context: PortContext) -> Port:
    """The port with a note for everything in the way that no part changed or spoke of."""
    settled = {(f.path, f.line, f.rule) for f in result.after.findings(context.target) if result.is_settled(f)}
    steps = [
        replace(
            step,
            manual=tuple(m for m in step.manual if m.stops or m.of_change or (m.path, m.line, m.rule) not in settled),
        )
        for step in result.steps
    ]
    result = replace(result, steps=tuple(step for step in steps if step.changes or step.manual))
    said = {(item.path, rule) for item in result.manual for rule in item.rule.split(", ")}
    notes = [
        Manual(finding.path, finding.line, PortPhase(finding.phase), finding.message, finding.fix, finding.rule)
        for finding in result.left
        if (finding.path, finding.rule) not in said and PortPhase(finding.phase) in context.phases
    ]
    if not notes:
        return result
    return replace(result, steps=tuple(by_phase(result.changes, [*result.manual, *notes])))


def _proved(
    tree: Tree, original: Tree, steps: list[Step], context: PortContext, arches: tuple[str, ...], progress: Progress
) -> tuple[list[Step], Proof]:
    """The steps without what changes NVIDIA's side, and the proof of the rest."""
    after = tree.with_changes(changes_of(steps))
    found = certificate(original, after)
    harmless = without_harmful(tree, steps, found)
    if harmless is not steps:
        steps, after = harmless, tree.with_changes(changes_of(harmless))
        found = certificate(original, after)
    levels = evidence(after, found, context.target, arches, progress, context.options.checks_until)
    built = without_misfits(tree, without_failed(tree, steps, levels), context, levels)
    built = without_idle(tree, built, context)
    if changes_of(built) != changes_of(steps):
        after = tree.with_changes(changes_of(built))
        found = certificate(original, after)
        return built, Proof(
            found, evidence(after, found, context.target, arches, progress, context.options.checks_until)
        )
    return steps, Proof(found, levels)


def _steps(tree: Tree, context: PortContext, progress: Callable[[str], None]) -> list[Step]:
    """All parts, again and again until they leave the tree as it is: a second port then has nothing to do."""
    changes: list[Change] = []
    manual: list[Manual] = []
    for _ in range(_PASSES):
        found: list[Change] = []
        manual = [item for item in manual if item.of_change]
        for name, run in parts_for(context.target.name).items():
            progress(name)
            result = well_formed(run(tree, context), tree, context)
            tree = tree.with_changes(result.changes)
            found += result.changes
            manual += result.manual
        changes += found
        if not found:
            break
    return by_phase(changes, manual)
