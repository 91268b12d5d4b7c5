"""Headers of ROCm's libraries that the compiler did not find: from an install, or derived from CUDA's own.

hipBLAS, hipFFT, hipSPARSE, hipSOLVER, hipRAND's host side and RCCL declare what NVIDIA's libraries declare, under other
names. Where CUDA's header is at hand, its declarations under those names let a source be checked that could not be
checked at all. That is less than the real header: a signature may differ, and nothing is known about linking.
Libraries that are code in headers (hipCUB, rocPRIM) and those with an interface of their own (MIOpen) are not derived.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from rewarp.files import NewFile, cache_folder, write_together
from rewarp.tables import cuda
from rewarp.toolchain.compiler import Compiled, Toolchain
from rewarp.toolchain.diagnostics import Cause
from rewarp.toolchain.header_libraries import how_to_get, library_of, rocm_includes

CUDA_INCLUDE_VARIABLE = "REWARP_CUDA_INCLUDE"
"""Include folders of CUDA and its libraries, separated like those of PATH; searched before those found."""

_SAME_INTERFACE = ("hipblas/", "hipblaslt/", "hipfft/", "hiprand/", "hipsparse/", "hipsolver/", "hiptensor/", "rccl/")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"][^\n]*$', re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_GUARD = re.compile(r"\w+_H(?:PP)?_*")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ENUMERATION = re.compile(r"(\benum\b[^{};]*\{)([^{}]*)\}")
_SELF_ALIAS = re.compile(r"\btypedef\s+(\w+)\s+\1\s*;")
"""What is left of an alias whose two names have one twin."""
_MORE_RENAMES = {"libraryPropertyType": "hipLibraryPropertyType"}
_OF_NVIDIA = re.compile(
    r"(?:cuda|cublas|cufft|curand|cusparse|cusolver|cutensor|nccl|CUDA|CUBLAS|CUFFT|CURAND|CUSPARSE|CUSOLVER|CUTENSOR|NCCL)"
)
_LACKING = "hip_lacks_"
_RUNTIME = "#include <hip/hip_runtime_api.h>\n"
"""HIP's headers of types, unlike CUDA's, do not stand alone."""
_SUPPORT_HEADER = "rewarp_hip.h"
_TRIAL_ARCH = "gfx942"
_MOST_DEEP = 8
_ONE_AT_A_TIME = threading.Lock()
"""Many sources miss the same header at the same time."""
_SYSTEM = Path("/usr/include")


@dataclass(frozen=True)
class Supplied:
    """A toolchain that has the header."""

    toolchain: Toolchain
    header: str
    origin: str
    """Where it comes from, for people."""
    derived: bool
    """Declarations only, made from CUDA's header: good for checking syntax and types, and for nothing else."""


@dataclass(frozen=True)
class NotSupplied:
    header: str
    reason: str


def supply(toolchain: Toolchain, header: str, environment: Mapping[str, str] | None = None) -> Supplied | NotSupplied:
    """The toolchain with a header of a ROCm library that it lacks, or why that cannot be."""
    variables = os.environ if environment is None else environment
    with _ONE_AT_A_TIME:
        return _supplied(toolchain, header, tuple(rocm_includes(variables)), cuda_includes(variables))


@lru_cache(maxsize=256)
def _supplied(
    toolchain: Toolchain, header: str, rocm: tuple[Path, ...], folders: tuple[Path, ...]
) -> Supplied | NotSupplied:
    for folder in rocm:
        if folder not in toolchain.includes and (folder / header).is_file():
            return Supplied(replace(toolchain, includes=(*toolchain.includes, folder)), header, str(folder), False)
    return _derive(toolchain, header, folders, 0)


def compiled_with_libraries(
    toolchain: Toolchain,
    compile_with: Callable[[Toolchain], Compiled],
    last_resort: Callable[[str], Path | None] = lambda _: None,
    expected: Sequence[str] = (),
) -> tuple[Compiled, tuple[Supplied, ...], NotSupplied | None]:
    """Compiles, again and again, with each header of a library that turns out to be missing: the last result, what
    was supplied, and what could not be. ``last_resort``: a folder of declarations, for what is to be had nowhere else.
    ``expected``: headers that it will miss, supplied at once, where each time that it misses one costs much."""
    supplied: list[Supplied] = []
    for header in expected:
        having = supplied[-1].toolchain if supplied else toolchain
        if not _located(header, having.includes) and isinstance(found := _found(having, header, last_resort), Supplied):
            supplied.append(found)
    while True:
        done = compile_with(supplied[-1].toolchain if supplied else toolchain)
        failure = done.failure
        if failure is None or failure.cause is not Cause.MISSING_HEADER:
            return done, tuple(supplied), None
        having = supplied[-1].toolchain if supplied else toolchain
        found = _found(having, failure.subject, last_resort)
        if isinstance(found, NotSupplied):
            return done, tuple(supplied), found
        if any(found.header == earlier.header for earlier in supplied):
            return done, tuple(supplied), NotSupplied(found.header, "it is here, and the compiler does not find it")
        supplied.append(found)


def _found(having: Toolchain, header: str, last_resort: Callable[[str], Path | None]) -> Supplied | NotSupplied:
    found = supply(having, header)
    folder = last_resort(header) if isinstance(found, NotSupplied) else None
    if folder is None or folder in having.includes or not (folder / header).is_file():
        return found
    having = replace(having, includes=(*having.includes, folder))
    return Supplied(having, header, f"rewarp's own declarations for {header}", True)


def cuda_includes(variables: Mapping[str, str]) -> tuple[Path, ...]:
    """Where CUDA's headers may lie: as told, in an install, in NVIDIA's wheels."""
    told = [Path(name) for name in variables.get(CUDA_INCLUDE_VARIABLE, "").split(os.pathsep) if name]
    homes = [variables.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    installed = [Path(home, "include") for home in (*homes, "/usr/local/cuda") if home]
    installed += [home / "include" for home in sorted(Path("/usr/local").glob("cuda-*"), reverse=True)]
    wheels = importlib.util.find_spec("nvidia")
    places = wheels.submodule_search_locations if wheels else None
    packages = [folder for place in places or () for folder in sorted(Path(place).glob("*/include"))]
    found = dict.fromkeys((*told, *installed, *packages, Path("/usr/include")))
    return tuple(folder for folder in found if folder.is_dir())


def _derive(toolchain: Toolchain, header: str, folders: tuple[Path, ...], depth: int) -> Supplied | NotSupplied:
    if library := library_of(header):
        return NotSupplied(header, how_to_get(library))
    if not header.startswith(_SAME_INTERFACE):
        return NotSupplied(header, "it is not here, and its declarations cannot be derived from CUDA's")
    origins = [name for name in _cuda_headers(header) if _located(name, folders)]
    if not origins:
        return NotSupplied(header, "it is not here, nor is CUDA's header of the same library")
    seen: set[str] = set()
    text = _RUNTIME + _renamed("\n".join(_flat(name, header, folders, seen) for name in origins))
    made = _tried(toolchain, header, text, folders, depth)
    if isinstance(made, str):
        return NotSupplied(header, f"it is not here, and what CUDA's {origins[0]} gives does not compile: {made}")
    return Supplied(made, header, f"declarations derived from CUDA's {origins[0]}", True)


@lru_cache(maxsize=64)
def _cuda_headers(header: str) -> list[str]:
    """CUDA's headers that a header of ROCm stands for in full, those with the newer interface first."""
    twins = ((name.decode(), cuda.header(name)) for name in cuda.includes())
    found = [name for name, twin in twins if twin and twin.status == "mapped" and header in twin.hip.split(";")]
    return sorted(found, key=lambda name: ("_v2" not in name, len(name), name))


def _located(name: str, folders: Sequence[Path]) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def _flat(name: str, header: str, folders: Sequence[Path], seen: set[str]) -> str:
    """A CUDA header with those of the same library in it; other includes become those of HIP."""
    file = _located(name, folders)
    if file is None or name in seen:
        return ""
    seen.add(name)

    def included(found: re.Match[str]) -> str:
        twin = cuda.header(found[1].encode())
        headers = twin.hip.split(";") if twin else []
        if header in headers or (twin is None and file.with_name(found[1]).is_file() and file.parent != _SYSTEM):
            return _flat(found[1], header, folders, seen)
        kept = (line for line in headers if line and line != _SUPPORT_HEADER)
        return "\n".join(f"#include <{line}>" for line in kept) if twin else found[0]

    return _INCLUDE.sub(included, file.read_text("utf-8", "replace"))


def _renamed(text: str) -> str:
    text = _NAME.sub(lambda found: _hip_name(found[0]), text)
    return _ENUMERATION.sub(_without_repeats, _SELF_ALIAS.sub("", _COMMENT.sub(" ", text)))


@lru_cache(maxsize=1 << 16)
def _hip_name(name: str) -> str:
    # Several of CUDA's headers share one twin, so its guard would hide all of them but the first.
    if _GUARD.fullmatch(name):
        return name
    twin = cuda.twin(name.encode())
    if twin and twin.supported and twin.hip:
        return twin.hip
    # A source that still uses a name which HIP lacks must not find it here.
    return f"{_LACKING}{name}" if _OF_NVIDIA.match(name) else _MORE_RENAMES.get(name, name)


def _without_repeats(enumeration: re.Match[str]) -> str:
    """Two of CUDA's enumerators may share one twin; the first stays. Only names matter here, not values."""
    kept: dict[str, str] = {}
    for item in enumeration[2].split(","):
        kept.setdefault(item.partition("=")[0].strip(), item)
    return f"{enumeration[1]}{','.join(kept.values())}}}"


def _tried(toolchain: Toolchain, header: str, text: str, folders: tuple[Path, ...], depth: int) -> Toolchain | str:
    """A toolchain with the header, once a source that includes nothing else compiles; else why it does not."""
    for other in _INCLUDE.findall(text):
        if other.startswith(_SAME_INTERFACE) and not _located(other, toolchain.includes):
            first = _derive(toolchain, other, folders, depth + 1) if depth < _MOST_DEEP else None
            if not isinstance(first, Supplied):
                return f"it needs {other}"
            toolchain = first.toolchain
    key = hashlib.sha256(f"{toolchain.identity}\0{header}\0{text}".encode()).hexdigest()[:16]
    home = cache_folder() / "derived" / key
    if not (home / header).is_file():
        with tempfile.TemporaryDirectory(prefix="rewarp-") as place:
            compiles = _compiling(toolchain, header, text, Path(place))
        if compiles.reason:
            return compiles.reason
        write_together([NewFile(home / header, compiles.text.encode())])
    return replace(toolchain, includes=(*toolchain.includes, home))


@dataclass(frozen=True)
class _Trial:
    text: str
    reason: str = ""


def _compiling(toolchain: Toolchain, header: str, text: str, folder: Path) -> _Trial:
    """The text with the types that it misses, or the reason why it does not compile."""
    source, trial = folder / "trial.hip", folder / header
    source.write_text(f"#include <{header}>\n", "utf-8")
    trial.parent.mkdir(parents=True)
    searching = replace(toolchain, includes=(*toolchain.includes, folder))
    while True:
        trial.write_text(text, "utf-8")
        done = searching.check(source, _TRIAL_ARCH, options=("-ferror-limit=0",))
        unknown = [name for name in _types_hip_lacks(done) if f" {name};\n" not in text]
        if done.failure and not unknown:
            return _Trial(text, done.failure.message)
        if not done.failure:
            return _Trial(text)
        text = "".join(f"typedef int {name};\n" for name in unknown) + text


def _types_hip_lacks(done: Compiled) -> list[str]:
    """Types of CUDA's that only functions without a twin ask for: they are declared, and can be used by nobody else."""
    unknown = (re.match(rf"unknown type name '({_LACKING}\w+)'", error.message) for error in done.errors)
    return list(dict.fromkeys(found[1] for found in unknown if found))
