"""Libraries of ROCm that are code in headers: rocPRIM, hipCUB and rocThrust.

They become part of the program's own kernels, so their headers are all that they need. The wheels that make a compiler do
not bring them: they come from a folder that is named, from a ROCm, or from the distribution.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rewarp.files import cache_folder
from rewarp.toolchain.compiler import Toolchain

_SYSTEM = Path("/usr/include")
_ROCM = Path("/opt/rocm")
_ROCM_OF_MAJOR = 3
"""All three count their versions from 2 in ROCm 5."""


@dataclass(frozen=True)
class HeaderLibrary:
    name: str
    folder: str
    """Where its headers lie, below an include folder."""
    sign: str
    """The header that tells its version, and AMD's library from NVIDIA's of the same folder."""
    package: str
    """What Debian and Ubuntu call it."""
    twin: str | None = None
    """The folder of CUDA's library that translation makes it of."""
    needs: tuple[str, ...] = ()


LIBRARIES = (
    HeaderLibrary("rocPRIM", "rocprim", "rocprim/rocprim_version.hpp", "librocprim-dev"),
    HeaderLibrary("hipCUB", "hipcub", "hipcub/hipcub_version.hpp", "libhipcub-dev", "cub", ("rocPRIM",)),
    HeaderLibrary("rocThrust", "thrust", "thrust/rocthrust_version.hpp", "librocthrust-dev", needs=("rocPRIM",)),
)


@dataclass(frozen=True)
class Found:
    """A library whose headers are here."""

    library: HeaderLibrary
    place: Path
    """The include folder."""

    @property
    def version(self) -> str | None:
        text = (self.place / self.library.sign).read_text("utf-8", "replace")
        parts = [re.search(rf"#\s*define\s+\w+_VERSION_{part}\s+(\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
        return ".".join(part[1] for part in parts if part) if all(parts) else None

    def misfit(self, toolchain: Toolchain) -> str | None:
        """What to say of headers that were made for another HIP than the compiler has."""
        ours, theirs = (text.partition(".")[0] for text in (toolchain.hip_version or "", self.version or ""))
        if not ours or not theirs or int(theirs) + _ROCM_OF_MAJOR == int(ours):
            return None
        return f"{self} belongs to ROCm {int(theirs) + _ROCM_OF_MAJOR}, and HIP's headers here are those of {toolchain.hip_version}"

    @property
    def headers(self) -> Path:
        return self.place / self.library.folder

    def __str__(self) -> str:
        return " ".join(filter(None, (self.library.name, self.version)))


def library_of(header: str) -> HeaderLibrary | None:
    """The library that a header belongs to, by the name that an include line gives it."""
    folder = header.partition("/")[0]
    return next((one for one in LIBRARIES if "/" in header and folder in (one.folder, one.twin)), None)


def asked_for(headers: Iterable[str]) -> tuple[HeaderLibrary, ...]:
    """The libraries that include lines ask for, with those that these are made of."""
    named = {found.name for found in map(library_of, headers) if found}
    named |= {need for one in LIBRARIES if one.name in named for need in one.needs}
    return tuple(one for one in LIBRARIES if one.name in named)


def rocm_includes(variables: Mapping[str, str]) -> list[Path]:
    """Include folders of a ROCm, whether or not its compiler is there."""
    roots = (variables.get("ROCM_PATH"), variables.get("HIP_PATH"), _ROCM)
    return [Path(root, "include") for root in roots if root]


def libraries_in(folder: Path) -> list[Found]:
    return [Found(one, folder) for one in LIBRARIES if (folder / one.sign).is_file()]


def find_libraries(
    asked: Iterable[HeaderLibrary],
    toolchain: Toolchain,
    told: Sequence[Path] = (),
    environment: Mapping[str, str] | None = None,
) -> tuple[Found, ...]:
    """Those that are here: in folders that were told, the compiler's own, a ROCm's, the system's."""
    variables = os.environ if environment is None else environment
    places = (*told, *toolchain.includes, *rocm_includes(variables), _SYSTEM)
    here = [found for place in dict.fromkeys(map(Path, map(os.path.abspath, places))) for found in libraries_in(place)]
    first = (next((found for found in here if found.library == library), None) for library in asked)
    return tuple(filter(None, first))


def with_libraries(toolchain: Toolchain, found: Iterable[Found]) -> Toolchain:
    """The toolchain that sees them; as the system's headers, whose warnings are nobody's."""
    places = dict.fromkeys(_searched(one, toolchain) for one in found)
    more = tuple(place for place in places if place and place not in toolchain.includes)
    return replace(toolchain, includes=(*toolchain.includes, *more)) if more else toolchain


def _searched(found: Found, toolchain: Toolchain) -> Path | None:
    if found.place != _SYSTEM:
        return found.place
    if not toolchain.standard_library:
        return None  # searched as it is, and named before its time it would hide the C++ library's own headers
    # Beside another C library's headers the system's own must not be seen: only this library's.
    key = hashlib.sha256(str(found.headers).encode()).hexdigest()[:16]
    link = cache_folder() / "headers" / key / found.library.folder
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(found.headers)
    return link.parent


def how_to_get(library: HeaderLibrary) -> str:
    return (
        f"{library.name}'s headers are not here: install {library.package} (Debian, Ubuntu) or ROCm (ROCM_PATH), "
        f"or name the folder that holds {library.sign} with -I"
    )
