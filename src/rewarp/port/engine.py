"""The port itself: phases in order, each on the tree that the one before it left. Nothing is written."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from rewarp.errors import RewarpError
from rewarp.files import is_below
from rewarp.findings import Finding
from rewarp.lang import parsers
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.port import ci
from rewarp.port.build import makefile
from rewarp.port.build.sources import HipSources
from rewarp.port.changes import Change, Gate, Manual, PhaseResult, PortContext, PortOptions, PortPhase
from rewarp.port.detection import find_gates, gate_change, gate_for, is_worth_a_file
from rewarp.port.fitting import Misfit, failures, misfits, without, written_builds
from rewarp.port.old_torch import speaks_of_old_torch
from rewarp.port.packaging import requirements
from rewarp.port.packaging.containers import asks_for_torch, twin_names
from rewarp.port.parts import parts_for
from rewarp.port.python.bound import newly_unbound
from rewarp.port.rust.formatting import formatted
from rewarp.port.rust.manifests import read_crates
from rewarp.port.rust.script_text import BUILD_SCRIPT
from rewarp.port.standing import support_there
from rewarp.port.taken_back import NO_COPY, failed_copies, is_copy, tells_of_hip
from rewarp.port.translation import SHIM_FOLDER, approach_for, builds_torch_extension, hip_name, is_settled_source
from rewarp.port.tree import Tree
from rewarp.port.verification import Progress, certificate, evidence
from rewarp.project.build import read_build
from rewarp.project.crates import has_amd_feature
from rewarp.project.gates import NVIDIA, ROCM, Platform, Unbound
from rewarp.project.role_names import is_aside
from rewarp.registry import all_rules, fixed_in
from rewarp.source import SourceFile
from rewarp.targets import Target
from rewarp.toolchain import DEFAULT_ARCHES
from rewarp.translation.changes import SUPPORT_HEADER
from rewarp.verdict import Approach, blocking
from rewarp.verify.checks import Check, Evidence, Level, Outcome
from rewarp.verify.isolation.certificate import Certificate
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict
from rewarp.waves.support import HEADER as WAVES_HEADER

ALL_PHASES = tuple(PortPhase)
_DEFAULTS = PortOptions()
_PASSES = 4
_SCRIPTS = (
    *(".py", ".sh", ".bash", ".bat", ".cmd", ".ps1", ".lua", ".mk", ".cmake", "CMakeLists.txt", "Makefile", "makefile"),
    *(".pro", ".pri", ".qbs", ".vcxproj", ".bzl", ".bazel", "BUILD", "meson.build", ".gn", ".gni", ".gyp", ".gypi"),
    *("SConstruct", "SConscript", "wscript", ".ninja", ".zig", ".cbp", ".pbxproj"),
)
"""What compiles, and may name the sources that it does."""
_OWN_FIRST = "the project's own build was not added: that comes first"
_NO_IMAGE = "an image for AMD was not added"
_NOTHING_TO_HOLD = "no build for AMD makes what it is to hold: that comes first"
_NOT_CHANGED = {
    PortPhase.ARCHITECTURE: "warp code was not changed",
    PortPhase.TRANSLATION: "what only nvcc takes as it stands was not changed",
}
_UNBUILT = "no build for AMD compiles it: that comes first"
_NOBODY = "no build of the project's own that could be followed takes it (`--sources beside` writes it)"
_LARGEST_SCRIPT = 1_000_000


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
        files = [file for file in self.certificate.files if file.verdict is not IsolationVerdict.IDENTICAL]
        return sorted(files, key=lambda file: (file.verdict is not IsolationVerdict.DIFFERENT, file.path))


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
    support: tuple[str, ...] = ()
    """Where the project showed before that it runs on the target."""

    @property
    def changes(self) -> list[Change]:
        return [change for step in self.steps for change in step.changes]

    @property
    def manual(self) -> list[Manual]:
        return [manual for step in self.steps for manual in step.manual]

    @cached_property
    def findings_before(self) -> list[Finding]:
        """What the scan found, counted as what is left is: without what the target never saw as it was."""
        return replace(self, after=self.original, steps=()).findings_after

    @cached_property
    def findings_after(self) -> list[Finding]:
        """What the scan still finds on the target's side."""
        return [finding for finding in self.after.findings(self.target) if not self.is_settled(finding)]

    def is_settled(self, finding: Finding) -> bool:
        """Whether a finding is about a file that the target never sees as it is."""
        kind = kind_of_path(finding.path)
        if kind is Kind.MAKE:
            if not makefile.compiles_cuda(self.after.read(finding.path) or b""):
                return True  # it only names nvcc
            if self._is_told_of_original(finding):
                return True
            beside = finding.path + makefile.SUFFIX
            return beside in self.after and finding.rule in fixed_in(self.target.name, Kind.MAKE)
        if self.target.name != "rocm":
            return False
        if kind is Kind.CMAKE:  # such a build was evaluated, and would have been taken out
            of_build = all_rules()[finding.rule].family == "build"
            return of_build and any(is_below(finding.path, root) for root in self._cmake_roots)
        if kind is Kind.RUST and all_rules()[finding.rule].family == "rust":
            return any(is_below(finding.path, folder) for folder in self._crates)
        if kind not in CPP_KINDS:
            return posixpath.basename(finding.path) in (SUPPORT_HEADER, WAVES_HEADER)
        return is_settled_source(finding, self.after, self.target)

    def _is_told_of_original(self, finding: Finding) -> bool:
        """Whether a finding in a new Makefile says again what it says of the one that it stands beside."""
        original = finding.path.removesuffix(makefile.SUFFIX)
        if original == finding.path or finding.path in self.original:
            return False
        return any(f.path == original and f.rule == finding.rule for f in self.original.findings(self.target))

    @cached_property
    def _crates(self) -> list[str]:
        """The folders of Rust crates that got a side for AMD: what is CUDA's alone there stands behind its feature, and the port
        told what has no twin."""
        changed = {change.path for change in self.changes}
        crates = read_crates(self.after).values() if any(path.endswith("Cargo.toml") for path in changed) else ()
        return [crate.folder for crate in crates if crate.path in changed and has_amd_feature(crate.manifest)]

    @cached_property
    def _cmake_roots(self) -> list[str]:
        """The folders of CMake projects that got an option to build for the target."""
        builds = written_builds(self.changes)
        return [build.root for build in builds if kind_of_path(build.path) is Kind.CMAKE]

    @cached_property
    def lists(self) -> dict[str, tuple[list[str], list[str]]]:
        """Requirements files that stay as they are, with what an AMD machine installs in their stead."""
        if self.target.name != "rocm":
            return {}
        found = requirements.twin_names(self.after, self.findings_after)
        return {path: requirements.instead(self.after.read(path) or b"") for path in found}

    @cached_property
    def left(self) -> list[Finding]:
        """What still stands in the way."""
        return [finding for finding in self.findings_after if blocking(finding)]

    @cached_property
    def unbuilt(self) -> frozenset[str]:
        """The C++ that no build for NVIDIA compiles or includes, as far as builds are there and could be followed."""
        build = read_build(self.original.files, NVIDIA)
        if build.unread or build.refusals or not any(unit.is_device_code for unit in build.units):
            return frozenset()
        paths = [path for path in self.original.paths() if kind_of_path(path) in CPP_KINDS]
        includes = IncludeMap.of(SourceFile(path, self.original.read(path) or b"") for path in paths)
        return frozenset(paths) - includes.reached({unit.source for unit in build.units})

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
    gates = find_gates(tree) if target.name == "rocm" else []
    old = target.name == "rocm" and speaks_of_old_torch(tree)
    support = support_there(original or tree, target)
    context = PortContext(
        target, None if old else gate_for(tree, target), options, frozenset(phases), tuple(gates), support, old
    )
    steps = _steps(tree, context, progress)
    if context.gate and not is_worth_a_file(tree, context.gate, [change for step in steps for change in step.changes]):
        context = replace(context, gate=None)
        steps = _steps(tree, context, progress)
    if context.gate:
        made = gate_change(tree, context.gate, [change for step in steps for change in step.changes])
        steps = _with_gate(made, context.gate.name, steps) if made else steps
    if PortPhase.BUILD in phases:
        progress("reading the builds")
        steps = _without_misfits(tree, steps, context)
    steps = _without_idle(tree, steps, context)
    changes, notes = formatted(tree, _changes(steps))
    steps = _by_phase(changes, [*(item for step in steps for item in step.manual), *notes])
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
    after = tree.with_changes(change for step in steps for change in step.changes)
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


def _without_idle(tree: Tree, steps: list[Step], context: PortContext) -> list[Step]:
    """The steps without headers of aliases that no build was told of, and without HIP versions of sources that a build
    takes which could not be told: caller and receiver come together, or not at all."""
    changes = _changes(steps)
    idle = [change for change in changes if change.path.startswith(SHIM_FOLDER + "/")]
    if any(SHIM_FOLDER.encode() in (c.after or b"") for c in changes if c not in idle):
        idle = []
    notes = []
    if PortPhase.BUILD in context.phases:
        images = _empty_images(tree, changes)
        originals = {new: old for old, new in twin_names(tree, tree.findings(context.target) if images else []).items()}
        notes += [Manual(originals.get(c.path, c.path), None, c.phase, _NO_IMAGE, _NOTHING_TO_HOLD) for c in images]
        idle += images
        taken = _taken_by_none(tree, changes, asked=context.options.approach is Approach.COMMITTED)
        for copy, (original, why) in taken.items():
            notes.append(Manual(original, None, copy.phase, NO_COPY, why, stops=True))
        idle += taken
        unbuilt = _unbuilt(tree, changes, context)
        notes += [
            Manual(c.path, None, c.phase, _NOT_CHANGED.get(c.phase, "the source was not changed"), _UNBUILT)
            for c in unbuilt
        ]
        idle += unbuilt
        idle += _unreached(tree, [change for change in changes if change not in idle]) if idle else []
    if not idle:
        return steps
    manual = [*(item for step in steps for item in step.manual), *notes]
    return _by_phase([change for change in changes if change not in idle], manual)


def _empty_images(tree: Tree, changes: list[Change]) -> list[Change]:
    """New Dockerfiles of a project whose GPU code no build for the target compiles, while one for NVIDIA does."""
    images = [c for c in changes if kind_of_path(c.path) is Kind.DOCKERFILE and c.path not in tree]
    if not images or asks_for_torch(tree):
        return []
    after = tree.with_changes(changes)
    twins = {twin: source for source, twin in HipSources.of(after).twins.items()}
    units = [unit for unit in read_build(after.files, ROCM).units if unit.is_device_code or unit.hipified]
    compiled = {twins.get(unit.source, unit.source) for unit in units}
    wanted = {unit.source for unit in read_build(tree.files, NVIDIA).units if unit.is_device_code}
    return images if wanted - compiled else []


def _unbuilt(tree: Tree, changes: list[Change], context: PortContext) -> list[Change]:
    """Changes of the project's own sources that no build for the target reaches, while one for NVIDIA does."""
    crates = [posixpath.dirname(c.path) for c in changes if posixpath.basename(c.path) == BUILD_SCRIPT]
    edited = [c for c in changes if kind_of_path(c.path) in CPP_KINDS and c.path in tree]
    edited = [c for c in edited if not any(is_below(c.path, crate) for crate in crates)]
    if not edited:
        return []
    after = tree.with_changes(changes)
    units = {platform: read_build(after.files, platform).units for platform in (NVIDIA, ROCM)}
    if not any(unit.is_device_code for unit in units[NVIDIA]):
        # What is compiled could not be followed. Sources are respelled for a build for AMD, where there is one.
        told = any(unit.is_device_code or unit.hipified for unit in units[ROCM])
        idle = not told and not builds_torch_extension(tree, context.target)
        return [change for change in edited if idle and change.phase is PortPhase.TRANSLATION]
    sources = [path for path in after.paths() if kind_of_path(path) in CPP_KINDS]
    includes = IncludeMap.of(SourceFile(path, after.read(path) or b"") for path in sources)
    built, other = (
        includes.reached({unit.source for unit in units[platform] if unit.is_device_code or unit.hipified})
        for platform in (ROCM, NVIDIA)
    )
    return [change for change in edited if change.path in other and change.path not in built]


def _unreached(tree: Tree, changes: list[Change]) -> list[Change]:
    """New headers that none of the sources includes."""
    after = tree.with_changes(changes)
    new = {
        c.path: c
        for c in changes
        if kind_of_path(c.path) in CPP_KINDS
        and c.path not in tree
        and not is_copy(c)
        and not is_below(c.path, SHIM_FOLDER)
    }
    sources = [path for path in after.paths() if kind_of_path(path) in CPP_KINDS]
    includes = IncludeMap.of(SourceFile(path, after.read(path) or b"") for path in sources)
    reached = includes.reached(path for path in sources if path not in new)
    return [change for path, change in new.items() if path not in reached]


def _taken_by_none(tree: Tree, changes: list[Change], asked: bool) -> dict[Change, tuple[str, str]]:
    """New HIP versions that no build for AMD takes, with the source and why. ``asked``: a person wants them all the same,
    but for those of sources that a script builds and would build no other of."""
    told = [change for change in changes if tells_of_hip(change)]
    copies = [change for change in changes if is_copy(change) and change.path not in tree]
    if not copies:
        return {}
    after = tree.with_changes(changes)
    originals = {hip_name(path): path for path in tree.paths() if kind_of_path(path) in CPP_KINDS}
    changed = {change.path for change in told}
    scripts = {
        path: data
        for path in tree.paths()
        if path.endswith(_SCRIPTS) and path not in changed
        if (data := tree.read(path)) is not None and len(data) < _LARGEST_SCRIPT
    }
    built, wanted = _reached(after, ROCM, NVIDIA)
    crates = [posixpath.dirname(change.path) for change in told if posixpath.basename(change.path) == BUILD_SCRIPT]
    found = {}
    for change in copies:
        original = originals.get(change.path)
        if original is None or change.path in built or any(is_below(change.path, crate) for crate in crates):
            continue
        if any(is_below(change.path, posixpath.dirname(c.path)) for c in told):
            if not asked and built and original not in wanted:
                found[change] = (original, _NOBODY)
            continue
        script = next((path for path, data in scripts.items() if _names(path, data, original)), None)
        if script is not None:
            found[change] = (original, f"{script} builds it for CUDA, and could not be told of another")
        elif not asked:
            found[change] = (original, _NOBODY)
    return found


def _reached(tree: Tree, *platforms: Platform) -> list[frozenset[str]]:
    """For each platform the sources that its build compiles for its GPUs, with what they include."""
    sources = [path for path in tree.paths() if kind_of_path(path) in CPP_KINDS]
    includes = IncludeMap.of(SourceFile(path, tree.read(path) or b"") for path in sources)
    builds = (read_build(tree.files, platform).units for platform in platforms)
    return [includes.reached(unit.source for unit in units if unit.is_device_code or unit.hipified) for units in builds]


def _names(script: str, data: bytes, source: str) -> bool:
    """Whether a script names a source, or all of its kind in a folder below."""
    every = "*" + posixpath.splitext(source)[1]
    if posixpath.basename(source).encode("utf-8", "surrogateescape") in data:
        return True
    return is_below(source, posixpath.dirname(script)) and every.encode() in data


def _with_ci(tree: Tree, steps: list[Step], target: Target, given: str | None) -> list[Step]:
    """The steps, and a CI job where it passes on what they make of the tree."""
    changes = [change for step in steps for change in step.changes]
    address = given or ci.own_address()
    made = ci.job(tree.with_changes(changes), bool(changes), target.name, ci.steps_from(address) if address else None)
    return _by_phase([*changes, *made.changes], [*(item for step in steps for item in step.manual), *made.manual])


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
    changes = [change for step in result.steps for change in step.changes]
    return replace(result, steps=tuple(_by_phase(changes, [*result.manual, *notes])))


def _proved(
    tree: Tree, original: Tree, steps: list[Step], context: PortContext, arches: tuple[str, ...], progress: Progress
) -> tuple[list[Step], Proof]:
    """The steps without what changes NVIDIA's side, and the proof of the rest."""
    after = tree.with_changes(change for step in steps for change in step.changes)
    found = certificate(original, after)
    harmful = {file.path: file.why for file in found.files if file.verdict is IsolationVerdict.DIFFERENT}
    dropped = [change for step in steps for change in step.changes if change.path in harmful]
    if dropped:
        kept = [change for step in steps for change in step.changes if change.path not in harmful]
        unreached = _unreached(tree, kept)
        kept = [change for change in kept if change not in unreached]
        notes = [
            Manual(
                c.path, None, c.phase, c.why, f"it would change NVIDIA's side: {harmful[c.path]}", ", ".join(c.rules)
            )
            for c in dropped
        ]
        steps = _by_phase(kept, [*(item for step in steps for item in step.manual), *notes])
        after = tree.with_changes(kept)
        found = certificate(original, after)
    levels = evidence(after, found, context.target, arches, progress, context.options.checks_until)
    built = _without_misfits(tree, _without_failed(tree, steps, levels), context, levels)
    built = _without_idle(tree, built, context)
    if _changes(built) != _changes(steps):
        after = tree.with_changes(_changes(built))
        found = certificate(original, after)
        return built, Proof(
            found, evidence(after, found, context.target, arches, progress, context.options.checks_until)
        )
    return steps, Proof(found, levels)


def _without_failed(tree: Tree, steps: list[Step], levels: Iterable[Evidence]) -> list[Step]:
    """The steps without new HIP versions that do not compile, and the headers that only those include."""
    changes = _changes(steps)
    gone = failed_copies(tree, changes, levels)
    if not gone:
        return steps
    kept = [change for change in changes if change not in gone]
    unreached = _unreached(tree, kept)
    kept = [change for change in kept if change not in unreached]
    return _by_phase(kept, [*(item for step in steps for item in step.manual), *gone.values()])


def _changes(steps: Iterable[Step]) -> list[Change]:
    return [change for step in steps for change in step.changes]


def _without_misfits(
    tree: Tree, steps: list[Step], context: PortContext, levels: Iterable[Evidence] | None = None
) -> list[Step]:
    """The steps without builds for HIP that cannot go through: by the build model and the scan, or, with ``levels``, by
    what did not compile. A build file goes with what was made of the sources for it."""
    changes = [change for step in steps for change in step.changes]
    builds = written_builds(changes)
    if not builds:
        return steps
    after = tree.with_changes(changes)
    unfit = misfits(tree, after, builds, context.target) if levels is None else failures(after, builds, levels)
    if not unfit:
        return steps
    rest = [build for build in builds if build not in unfit]
    if all(is_aside(build.path) for build in rest) and not all(is_aside(build.path) for build in unfit):
        unfit |= {build: Misfit(build.original, None, _OWN_FIRST) for build in rest}
    notes = [
        Manual(
            misfit.path if misfit.path in tree else build.original,
            misfit.line if misfit.path in tree else None,
            PortPhase.BUILD,
            f"a build for HIP beside {build.original} was not added",
            misfit.why,
            stops=True,
        )
        for build, misfit in unfit.items()
    ]
    kept = without(tree, changes, unfit, [build for build in builds if build not in unfit])
    unreached = _unreached(tree, kept)
    kept = [change for change in kept if change not in unreached]
    return _by_phase(kept, [*(item for step in steps for item in step.manual), *notes])


def _steps(tree: Tree, context: PortContext, progress: Callable[[str], None]) -> list[Step]:
    """All parts, again and again until they leave the tree as it is: a second port then has nothing to do."""
    changes: list[Change] = []
    manual: list[Manual] = []
    for _ in range(_PASSES):
        found: list[Change] = []
        manual = [item for item in manual if item.of_change]
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
        elif lost := _lost(change, before, context):
            why = f"{lost.name} would be read on {context.target.title} before it is bound"
            manual.append(Manual(change.path, lost.line, change.phase, change.why, why, ", ".join(change.rules)))
        else:
            changes.append(change)
    return PhaseResult(changes, manual)


def _lost(change: Change, before: bytes | None, context: PortContext) -> Unbound | None:
    """A name that a change of a Python file leaves unbound on the target."""
    if kind_of_path(change.path) is not Kind.PYTHON or before is None or change.after is None:
        return None
    return next(iter(newly_unbound(change.path, before, change.after, context.target)), None)


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
