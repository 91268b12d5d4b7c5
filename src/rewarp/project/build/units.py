"""Units of a build, each with the line that is the reason, and with what nothing here could decide."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rewarp.project.gates import Platform


class Reason(NamedTuple):
    """The line of a build file that says so."""

    file: str
    line: int


class Given(NamedTuple):
    """A definition, flag or include folder, and the conditions under which it is given."""

    text: str
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class BuildUnit:
    """One source, as one target of the build compiles it."""

    source: str
    """Its path in the tree; where a part of it is not known, that is said in ``<>``."""
    target: str
    """The library, program or extension that it becomes a part of."""
    system: str
    """Who says so: cmake, setup.py, make, meson, cargo, compile_commands.json."""
    language: str | None
    """CUDA, HIP, CXX, C, Rust; None where no language that is enabled takes it: a header, or a ``.cu`` without CUDA."""
    reason: Reason
    conditions: tuple[str, ...] = ()
    """What must hold for it to be compiled, as far as nothing here decides that; empty where it is sure."""
    hipified: bool = False
    """Whether torch's build translates it from CUDA first."""
    defines: tuple[Given, ...] = ()
    """``NAME`` or ``NAME=VALUE``; ``-NAME`` takes one back."""
    flags: tuple[Given, ...] = ()
    includes: tuple[Given, ...] = ()
    """Folders: paths in the tree; outside of it absolute, or with what is not known in ``<>``."""

    @property
    def is_device_code(self) -> bool:
        return self.language in ("CUDA", "HIP")


_NVIDIAS_GPUS = re.compile(r"(?i)(?<![a-z])sm_?(?:[5-9]|1[0-2])\d[af]?(?![a-z0-9])|hopper|blackwell|cutlass")

_NEGATED = re.compile(r"(?i)(?:\bnot\s+|!)\(*[\w.]*$")


def is_for_nvidias_gpus(unit: BuildUnit) -> bool:
    """Whether NVIDIA's build itself compiles it for some of NVIDIA's architectures alone: what only they have, others do not lose."""
    found = (match for one in unit.conditions for match in _NVIDIAS_GPUS.finditer(one))
    return any(not _NEGATED.search(match.string[: match.start()]) for match in found)


class Switch(NamedTuple):
    """An option of the project itself that its user sets to build for a platform."""

    name: str
    value: str
    reason: Reason
    """Where it is declared."""


@dataclass(frozen=True)
class Part:
    """What one build system says."""

    units: tuple[BuildUnit, ...] = ()
    systems: tuple[str, ...] = ()
    switches: tuple[Switch, ...] = ()
    unread: tuple[tuple[Reason, str], ...] = ()
    refusals: tuple[tuple[Reason, str], ...] = ()
    given: tuple[str, ...] = ()
    """Variables that have to be given too, whatever their values."""
    configured: tuple[tuple[str, bool], ...] = ()
    """Macros of headers that the build writes, and options of its own that are off; whether one may be defined."""
    ran: tuple[tuple[str, frozenset[int]], ...] = ()
    """Of each CMake file the lines of the calls that are run; empty where some project's end is not known."""
    branches: tuple[tuple[str, frozenset[int], frozenset[int]], ...] = ()
    """Of each Makefile the lines in branches that may be read, and in those that are not."""

    @staticmethod
    def joined(parts: Iterable[Part]) -> Part:
        every = list(parts)
        return Part(
            tuple(unit for part in every for unit in part.units),
            tuple(name for part in every for name in part.systems),
            tuple(dict.fromkeys(switch for part in every for switch in part.switches)),
            tuple(note for part in every for note in part.unread),
            tuple(refusal for part in every for refusal in part.refusals),
            tuple(dict.fromkeys(name for part in every for name in part.given)),
            tuple(dict.fromkeys(item for part in every for item in part.configured)),
            tuple(item for part in every for item in part.ran),
            tuple(item for part in every for item in part.branches),
        )


@dataclass(frozen=True)
class Build:
    """What a project's build files come to on one platform."""

    platform: Platform
    units: tuple[BuildUnit, ...]
    systems: tuple[str, ...] = ()
    """Build files that were read, as paths in the tree."""
    switches: tuple[Switch, ...] = ()
    """What has to be given for the platform; what is not among them has its default."""
    given: tuple[str, ...] = ()
    """Variables that have to be given too, whatever their values."""
    unread: tuple[tuple[Reason, str], ...] = ()
    """What could not be followed, with the reason."""
    refusals: tuple[tuple[Reason, str], ...] = ()
    """Where a build file ends the build on this platform: ``message(FATAL_ERROR)``, ``raise`` in ``setup.py``."""
    configured: tuple[tuple[str, bool], ...] = ()
    """Macros of headers that the build writes, and options of its own that are off; whether one may be defined."""
    ran: tuple[tuple[str, frozenset[int]], ...] = ()
    """Of each CMake file the lines of the calls that are run; empty where some project's end is not known."""
    branches: tuple[tuple[str, frozenset[int], frozenset[int]], ...] = ()
    """Of each Makefile the lines in branches that may be read, and in those that are not."""
