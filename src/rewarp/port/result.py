"""What a port comes to: the tree before and after, the steps, what is known of them and what still stands in the way."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from functools import cached_property

from rewarp.files import is_below
from rewarp.findings import Finding
from rewarp.lang.cpp.includes import IncludeMap
from rewarp.lang.kinds import CPP_KINDS, Kind, kind_of_path
from rewarp.port.build import makefile
from rewarp.port.changes import Change, Gate, Manual
from rewarp.port.cpp.translation import is_settled_source
from rewarp.port.dropping.builds import written_builds
from rewarp.port.packaging import requirements
from rewarp.port.rust.manifests import read_crates
from rewarp.port.steps import Step, changes_of, manual_of
from rewarp.port.tree import Tree
from rewarp.project.build import read_build
from rewarp.project.crates import has_amd_feature
from rewarp.project.gates import NVIDIA
from rewarp.registry import all_rules, fixed_in
from rewarp.source import SourceFile
from rewarp.targets import Target
from rewarp.translation.changes import SUPPORT_HEADER
from rewarp.verdict import Approach, blocking
from rewarp.verify.checks import Evidence, Outcome
from rewarp.verify.isolation.certificate import Certificate
from rewarp.verify.isolation.file_verdict import FileVerdict, IsolationVerdict
from rewarp.waves.support import HEADER as WAVES_HEADER


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
        return changes_of(self.steps)

    @property
    def manual(self) -> list[Manual]:
        return manual_of(self.steps)

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
