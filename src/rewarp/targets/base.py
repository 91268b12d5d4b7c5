"""What a target is, and the context a rule is asked in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from rewarp.errors import UsageError, did_you_mean
from rewarp.tables import amd_arches

_NONE = re.compile(r"(?!)")


@dataclass(frozen=True)
class Target:
    """One platform: its names for the things every GPU program names."""

    name: str
    title: str
    device: str
    """The torch device string."""
    visible_devices: str
    true_names: re.Pattern[str]
    """Identifiers that mean "this is that platform" in other people's code."""
    false_names: re.Pattern[str]
    """Identifiers that mean "this is some other platform"."""
    true_macros: re.Pattern[str] = _NONE
    false_macros: re.Pattern[str] = _NONE
    undefined_macros: frozenset[str] = frozenset()
    """Macros that the project being read leaves undefined here; see ``ProjectFacts``."""
    gate_names: frozenset[tuple[str, str, bool]] = frozenset()
    """What names that a file of the project imports are here; see ``ProjectFacts``."""

    @property
    def has_macros(self) -> bool:
        """Whether C++ code can tell that it is compiled for the target."""
        return self.true_macros is not _NONE

    def macro(self, name: str) -> bool | None:
        """Whether the target's compiler sees a macro defined; None when that is not known."""
        if name in self.undefined_macros or self.false_macros.fullmatch(name):
            return False
        return True if self.true_macros.fullmatch(name) else None


def _version(text: str | None, what: str) -> Version | None:
    if text is None:
        return None
    try:
        return Version(text)
    except InvalidVersion:
        raise UsageError(f"--{what}: {text!r} is not a version, for example 2.12 or 7.1") from None


@dataclass(frozen=True)
class Versions:
    """What is known of the target machine; None is unknown, never a default."""

    torch: str | None = None
    rocm: str | None = None
    arch: str | None = None

    def __post_init__(self) -> None:
        _version(self.torch, "torch")
        _version(self.rocm, "rocm")
        if self.arch is not None and not re.fullmatch(r"gfx[0-9a-f]{3,5}", self.arch):
            hint = did_you_mean(self.arch, amd_arches())
            raise UsageError(f"--arch: {self.arch!r} is not a gfx name, for example gfx942{hint}")

    def matches(self, *, torch: str | None = None, rocm: str | None = None) -> bool | None:
        """Whether the known versions satisfy the given ranges; None when one that matters is unknown."""
        answer: bool | None = True
        for have, wanted in ((self.torch, torch), (self.rocm, rocm)):
            if wanted is None:
                continue
            if have is None:
                answer = None
                continue
            try:
                inside = SpecifierSet(wanted).contains(Version(have), prereleases=True)
            except InvalidSpecifier as error:
                raise ValueError(str(error)) from None
            if not inside:
                return False
        return answer

    @cached_property
    def wave_sizes(self) -> frozenset[int]:
        """Wave widths the code must be right on: both, unless the architecture is known."""
        if self.arch is None:
            return frozenset({32, 64})
        return frozenset({64}) if self.arch.startswith("gfx9") else frozenset({32})

    def may_be(self, *prefixes: str) -> bool:
        """Whether the target may be one of these architectures (an unknown one may be)."""
        return self.arch is None or self.arch.startswith(prefixes)


@dataclass(frozen=True)
class ProjectFacts:
    """What other files of the project say that a single file does not show; nothing, unless it is read."""

    undefined_macros: frozenset[str] = frozenset()
    """Macros that the project defines for other platforms only."""
    aliases: frozenset[tuple[str, str]] = frozenset()
    """(CUDA name, header): names that a header of the project supplies on the target."""
    includers: frozenset[tuple[str, str]] = frozenset()
    """(file, header): the files that such a header reaches through their includes."""
    arch_macros: frozenset[str] = frozenset()
    """Macros that the project defines only where ``__CUDA_ARCH__`` is defined."""
    own_macros: frozenset[str] = frozenset()
    """CUDA-looking macros that NVIDIA's tables do not list and a file of the project defines."""
    own_functions: frozenset[str] = frozenset()
    """Functions of that kind."""
    packages: frozenset[str] = frozenset()
    """The Python packages that the project itself is: importing one of them is no dependency."""
    doubled: frozenset[str] = frozenset()
    """Dockerfiles and requirement lists that have a sibling for the target: they are the other side's."""
    warp_widths: frozenset[str] = frozenset()
    """Names for a warp's size that some file fixes at 32 on the target, and none at anything else."""
    lane_masks: frozenset[str] = frozenset()
    """Names that some file gives the value of 32 ones, in 32 bits."""
    fixed_width: frozenset[str] = frozenset()
    """Files with exchanges between lanes, where no C++ of the project asks for the hardware's own width."""
    hipified: frozenset[str] = frozenset()
    """C++ that the build of a torch extension translates."""
    capability_helpers: frozenset[str] = frozenset()
    """Functions that compare the GPU's compute capability, and ask for no platform: AMD's numbers are compared as well."""
    asked_for: frozenset[str] = frozenset()
    """Modules that nothing imports unless the code has asked for something first."""
    gate_names: frozenset[tuple[str, str, bool]] = frozenset()
    """(file, name, truth): names by which another module of the project tells a file that it runs on the target, or not."""
    left_out: frozenset[tuple[str, int, str]] = frozenset()
    """(build script, line, extension): what it builds with CUDA for NVIDIA and leaves out, or builds without, for the target."""
    refused: frozenset[tuple[str, int, str]] = frozenset()
    """(build file, line, message): where the build ends on the target, and does not for NVIDIA."""
    device_extensions: frozenset[str] = frozenset()
    """Modules that the project's scripts build from CUDA sources, and that are not there on Gaudi."""
    torch_names: frozenset[tuple[str, str]] = frozenset()
    """(file, macro): names that torch has no more, where a header of the project that the file includes defines them."""

    def supplied(self, path: str) -> Mapping[str, str]:
        """The names that the project supplies to a file on the target, with the header each comes from."""
        return _supplied(self, path) if self.includers else {}


@lru_cache(maxsize=2)
def _supplied(facts: ProjectFacts, path: str) -> Mapping[str, str]:
    headers = {header for file, header in facts.includers if file == path}
    return {name: header for name, header in sorted(facts.aliases) if header in headers}


@dataclass(frozen=True)
class Context:
    """What a rule may know besides the document: the target, its versions, and what the project tells."""

    target: Target
    versions: Versions = Versions()
    project: ProjectFacts = ProjectFacts()
    ported: bool = False
    """Whether the tree is held to be a port: what is named for AMD is then judged by what it does, like all else."""

    def __post_init__(self) -> None:
        macros, names = self.project.undefined_macros, self.project.gate_names
        if (macros, names) != (self.target.undefined_macros, self.target.gate_names):
            object.__setattr__(self, "target", replace(self.target, undefined_macros=macros, gate_names=names))
