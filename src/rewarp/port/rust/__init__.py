"""Rust workspaces with a CUDA back end: one for AMD beside it, by renaming, on a layer in the shape of cudarc; kernels
compiled by hipcc from the same sources; the feature ``rocm`` beside ``cuda``."""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Collection, Iterable, Mapping

from rewarp.findings import Finding
from rewarp.fixes import BackEndFix
from rewarp.lang.kinds import Kind
from rewarp.port.changes import Change, Manual, PhaseResult, PortContext, PortPhase
from rewarp.port.rust import (
    attention,
    back_ends,
    choices,
    delegating,
    kernels,
    layer,
    manifests,
    script_text,
    twinless,
    unconditional,
)
from rewarp.port.rust.attention import Interface
from rewarp.port.rust.back_ends import BackEnd
from rewarp.port.rust.siblings import Left
from rewarp.port.tree import Tree
from rewarp.project.crates import has_amd_feature
from rewarp.registry import Trait, all_rules, fixed_in, fixes_for
from rewarp.verdict import blocking

_WHY_SIBLINGS = (
    "Every item, arm, variant and import that names CUDA has one beside it that names ROCm; no line changed."
)
_WHY_TWIN = "The ROCm back end: CUDA's, with the names of the layer for AMD."
_WHY_LIB = "With the feature rocm the crate offers the kernels' code objects for AMD."
_WHY_CHOOSING = (
    "CUDA is asked for by a feature that is on unless a build says default-features = false; rocm stands beside it."
)
_WHY_EITHER = "A feature that asks for CUDA has one beside it that asks for ROCm, and code that asked for the first asks for either."
_SEMVER = (
    "Code outside that matches every variant no longer compiles: for semver a breaking change, so release it as one. It breaks "
    "once, with or without the feature; #[non_exhaustive] would spare the next."
)
_FEW = 4


def run(tree: Tree, context: PortContext) -> PhaseResult:
    if not any(all_rules()[finding.rule].family == "rust" for finding in tree.findings(context.target)):
        return PhaseResult()
    result = PhaseResult()
    crates = {name: crate for name, crate in manifests.read_crates(tree).items() if not has_amd_feature(crate.manifest)}
    outside = twinless.outside(tree, crates)
    result.manual += [_built_elsewhere(crates[name], other) for name, other in outside.items()]
    crates = {name: crate for name, crate in crates.items() if name not in outside}
    supplied = _supplied(tree, crates)
    ported = kernels.port(tree, crates, supplied, result)
    reached = twinless.reach(tree, crates, ported, supplied)
    delegated = delegating.delegations(tree, crates, supplied)
    made = back_ends.generate(tree, reached.crates, ported, reached.twinless, supplied, delegated)
    _offer(tree, crates, ported, supplied, made)
    wired = twinless.leading(crates, made.touched | ported, supplied)
    _tell(made, result)
    _choosing(crates, [crate.name for crate in wired], supplied, delegated, result)
    manifests.wire([crate for crate in wired if crate.name not in supplied], ported, reached.twinless, result)
    if any(manifests.LAYER.encode() in (change.after or b"") for change in result.changes):
        layer.add(tree, manifests.asked_of_binding(tree), bool(supplied), result)
        manifests.workspace_layer(tree, result)
    _by_either(tree, crates, choices.choices(wired, _changed(crates, supplied, result)), result)
    manifests.tell_left(crates, wired, result)
    if result.changes:
        result.manual = [dataclasses.replace(manual, of_change=True) for manual in result.manual]
    _by_hand(tree, context, result)
    return result


def _built_elsewhere(crate: manifests.Crate, other: str) -> Manual:
    what = f"the CUDA side of {crate.name} is written in the types of {other}, which is not in this tree"
    why = f"{other} needs a side for AMD first; then port this one together with it, as crates of one tree"
    return Manual(crate.path, None, PortPhase.LIBRARIES, what, why, ", ".join(fixed_in("rocm", Kind.CARGO)))


def _supplied(tree: Tree, crates: dict[str, manifests.Crate]) -> dict[str, Interface]:
    """The crates that ask for CUDA in every build for a function that rewarp has for AMD."""
    having = {crate.name for crate in twinless.leading(crates, twinless.on_binding(crates), ())}
    found = attention.interfaces(tree, crates)
    supplied = {name: one for name, one in found.items() if unconditional.by_feature(crates[name], having) is not None}
    for name, one in supplied.items():
        holder = attention.holder(tree, crates, name, one)
        if holder is not None and kernels.holds_modules(tree, crates, holder[0]):
            supplied[name] = dataclasses.replace(one, kernels=holder)
    return supplied


def _choosing(
    crates: dict[str, manifests.Crate],
    wired: Collection[str],
    supplied: Mapping[str, Interface],
    delegated: Mapping[str, delegating.Delegation],
    result: PhaseResult,
) -> None:
    rules = fixed_in("rocm", Kind.CARGO)
    for name, interface in supplied.items():
        crate = crates[name]
        over = delegated.get(name)
        after = unconditional.by_feature(crate, wired, crates[over.to] if over else None)
        if after is None:
            why = "not all that it asks for CUDA has a side for AMD"
            result.manual.append(
                Manual(crate.path, None, PortPhase.BUILD, "needs the feature rocm", why, ", ".join(rules))
            )
            continue
        result.changes.append(Change(crate.path, after, PortPhase.BUILD, _WHY_CHOOSING, rules))
        what = f"{interface.function} runs a kernel of rewarp's own on AMD"
        if over:
            what = f"on AMD {name} hands over to {over.to}, which runs a kernel of rewarp's own"
        result.manual.append(
            Manual(interface.path, None, PortPhase.LIBRARIES, what, attention.LIMITS, ", ".join(rules))
        )


def _changed(crates: dict[str, manifests.Crate], names: Iterable[str], result: PhaseResult) -> list[str]:
    """Those of some crates whose manifests change."""
    paths = {change.path for change in result.changes}
    return [name for name in names if crates[name].path in paths]


def _by_either(
    tree: Tree, crates: dict[str, manifests.Crate], chosen: list[choices.Choice], result: PhaseResult
) -> None:
    """Siblings of the features that ask for CUDA and for a crate with a side for AMD, over what was changed so far."""
    now = {change.path: change.after for change in result.changes if change.after is not None}
    made = choices.manifests(crates.values(), chosen, tree, now)
    rules = fixed_in("rocm", Kind.CARGO)
    if made is None:
        for one in chosen:
            what = f"the feature {one.feature} asks for CUDA and has no sibling"
            why = f"no way was found to ask for {one.key} without its defaults and change nothing else"
            result.manual.append(Manual(one.crate.path, None, PortPhase.BUILD, what, why, ", ".join(rules)))
        return
    for path, data in [*made.items(), *choices.widened(tree, chosen, now).items()]:
        there = [number for number, change in enumerate(result.changes) if change.path == path]
        if there:
            result.changes[there[-1]] = dataclasses.replace(result.changes[there[-1]], after=data)
        else:
            result.changes.append(Change(path, data, PortPhase.BUILD, _WHY_EITHER, rules))


def _offer(
    tree: Tree,
    crates: dict[str, manifests.Crate],
    ported: frozenset[str],
    supplied: Mapping[str, Interface],
    made: BackEnd,
) -> None:
    """Code objects under a name of their own, where a kernel crate does not offer them as it does its PTX; and the kernel for
    attention, where it stands there for others."""
    holding = {one.kernels[0] for one in supplied.values() if one.kernels}
    for name in ported:
        path = posixpath.join(crates[name].folder, "src/lib.rs")
        data = made.changed.get(path) or tree.read(path)
        if data is None or (name in supplied and supplied[name].kernels):
            continue
        offered = "" if b"mod hsaco" in data else script_text.OFFERED
        offered += script_text.OFFERED_ATTENTION if name in holding else ""
        if offered:
            made.changed[path] = data + (b"" if data.endswith(b"\n") else b"\n") + offered.encode()


def _tell(made: BackEnd, result: PhaseResult) -> None:
    rules = tuple(rule for rule, _ in fixes_for("rocm", BackEndFix))
    for path, data in sorted(made.changed.items()):
        result.changes.append(Change(path, data, PortPhase.LIBRARIES, _WHY_SIBLINGS, rules))
    for path, data in sorted(made.new.items()):
        result.changes.append(Change(path, data, PortPhase.LIBRARIES, _WHY_TWIN, rules))
    if made.widened:
        path, line, _ = made.widened[0]
        names = ", ".join(sorted({name for _, _, name in made.widened}))
        what = f"public enums have one more variant: {names}"
        result.manual.append(Manual(path, line, PortPhase.LIBRARIES, what, _SEMVER, rules[-1]))
    for path, left in sorted(made.left.items()):
        result.manual += [_left(path, one) for one in left]


def _left(path: str, left: Left) -> Manual:
    rule = fixes_for("rocm", BackEndFix)[-1][0]
    return Manual(path, left.line, PortPhase.LIBRARIES, f"no sibling for AMD: {left.what}", left.why, rule)


def _by_hand(tree: Tree, context: PortContext, result: PhaseResult) -> None:
    changed = {change.path for change in result.changes}
    told = [rule.id for rule in all_rules().values() if rule.family == "rust" and Trait.BY_HAND in rule.traits]
    for rule in told:
        found = [f for f in tree.findings(context.target) if f.rule == rule and blocking(f) and f.path not in changed]
        for finding in found[:_FEW]:
            result.manual.append(_manual(finding))


def _manual(finding: Finding) -> Manual:
    return Manual(finding.path, finding.line, PortPhase(finding.phase), finding.message, finding.fix, finding.rule)
