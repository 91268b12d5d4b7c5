"""Headers of a newer HIP laid over those of a compiler that is here.

The wheels of triton that carry all of HIP's headers carry those of 6.2; later ones carry a part of 7.1: the runtime, types,
functions of device code. Laid over the older ones they compile together, and what the newer part lacks (half, bfloat16, fp8,
cooperative groups, hiprtc) is still the older HIP's, which the toolchain says.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rewarp.errors import UsageError
from rewarp.toolchain import wheels
from rewarp.toolchain.compiler import Toolchain
from rewarp.toolchain.discovery import hip_version_in

NEWER_VARIABLE = "REWARP_NEWER_HIP"
"""A folder with a newer HIP's headers, with triton's package or wheel in it, or that wheel: sources are compiled with both."""

_OF_TRITON = "backends/amd/include"


def with_newer_headers(toolchain: Toolchain, environment: Mapping[str, str] | None = None) -> Toolchain | None:
    """The same compiler with the headers that ``REWARP_NEWER_HIP`` names before its own; None where it names none, or none
    that are newer."""
    named = (os.environ if environment is None else environment).get(NEWER_VARIABLE)
    if not named:
        return None
    include = _headers_at(Path(named))
    if include is None:
        raise UsageError(f"{NEWER_VARIABLE} is {named}, where no headers of HIP are")
    version = hip_version_in(include)
    if version is None or numbers(version) <= numbers(toolchain.hip_version or ""):
        return None
    filled = tuple(sorted(_names(toolchain.includes[0]) - _names(include)))
    older = toolchain.hip_version if filled else None
    return replace(
        toolchain, includes=(include, *toolchain.includes), hip_version=version, filled_from=older, filled=filled
    )


def numbers(version: str) -> tuple[int, ...]:
    """A version of HIP's as far as its headers count it: major and minor."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _headers_at(place: Path) -> Path | None:
    if place.suffix == ".whl" and place.is_file():
        return wheels.unpacked_wheel(place, "triton") / "triton" / _OF_TRITON
    packed = [wheel.parent / wheel.name for wheel in sorted(place.glob("triton-*.whl"))]
    folders = (place, place / "include", place / _OF_TRITON, place / "triton" / _OF_TRITON)
    found = next((folder for folder in folders if (folder / "hip/hip_version.h").is_file()), None)
    return found or (_headers_at(packed[-1]) if packed else None)


def _names(include: Path) -> frozenset[str]:
    return frozenset(f"hip/{file.name}" for file in (include / "hip").glob("*.h*"))
