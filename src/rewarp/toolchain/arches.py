"""What an AMD architecture's name says about it."""

from __future__ import annotations

import re

from rewarp.errors import UsageError, did_you_mean
from rewarp.tables import amd_arches

DEFAULT_ARCHES = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
"""MI200, MI300, MI350, and the last two generations of Radeon."""

_ARCH = re.compile(
    r"gfx(?:(?P<major>\d{1,2})(?P<minor>\d)(?P<step>[0-9a-f])|(?P<generic>\d{1,2}(?:-\d)?)-generic)(?::.*)?"
)
_OLDEST_OF_GENERIC = {"11": 11003}
"""The device libraries take a family for its first member, and RDNA 3 for this one."""


def is_arch(name: str) -> bool:
    """`gfx942`, `gfx90a:xnack+`, `gfx9-4-generic`."""
    return _ARCH.fullmatch(name) is not None


def not_an_arch(name: str) -> UsageError:
    """What to say of a name that is none."""
    return UsageError(f"--arch: {name} is no AMD architecture: gfx942, gfx1100 …{did_you_mean(name, amd_arches())}")


def wave_size(arch: str) -> int:
    """64 up to gfx9 (CDNA, GCN), 32 from gfx10 on, where that is the default."""
    return 32 if isa_version(arch) >= 10000 else 64


def isa_version(arch: str) -> int:
    """The number that AMD's device libraries know an architecture by: gfx90a is 9010."""
    found = _ARCH.fullmatch(arch)
    if found is None:
        raise not_an_arch(arch)
    if found["generic"]:
        major, _, minor = found["generic"].partition("-")
        return _OLDEST_OF_GENERIC.get(found["generic"], int(major) * 1000 + int(minor or 0) * 100)
    return int(found["major"]) * 1000 + int(found["minor"]) * 100 + int(found["step"], 16)
