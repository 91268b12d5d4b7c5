"""Libraries that programs for AMD link: BLAS, FFT and random numbers, computed on the host and reported as such.

``folder()`` holds them under the names that programs ask for; they are compiled on first use and kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rewarp.files import NewFile, cache_folder, write_together
from rewarp.machine.library import compile_shared, hosted_options, machine_folder, system_libraries
from rewarp.machine.runtime.libraries.blas import functions, parameters, source
from rewarp.machine.runtime.libraries.blas_factors import factors_declarations, factors_source
from rewarp.machine.runtime.libraries.blas_mixed import mixed_declarations, mixed_source, overloads
from rewarp.machine.runtime.libraries.xorwow import jumps_header

HERE = Path(__file__).parent
_OPTIONS = ("-O3", "-fvisibility=hidden", "-ffp-contract=fast", "-fcx-limited-range", "-I", str(HERE))


@dataclass(frozen=True)
class _Library:
    names: tuple[str, ...]
    texts: Callable[[], list[str]]
    thin: Callable[[], list[str]] = list
    """Texts that only hand on: not worth the time of optimising."""


def _sources(*names: str) -> list[str]:
    return [(HERE / name).read_text("utf-8") for name in names]


def _blas() -> list[str]:
    kernels = ("blas_vectors.h", "blas_matrices.h", "blas_products.h", "blas_factors.h")
    texts = [f'#define KIND {kind}\n#include "{name}"\n' for name in kernels for kind in (1, 2, 3, 4)]
    return texts + _sources("blas_handles.c", "blas_mixed.c")


def _blas_interfaces() -> list[str]:
    both = [text for library in ("hip", "roc") for text in (source(library), mixed_source(library))]
    return [*both, factors_source()]


def _named(name: str, *endings: str) -> tuple[str, ...]:
    return tuple(f"lib{name}.so{ending}" for ending in ("", *endings))


_LIBRARIES = {
    "librewarpblas.so": _Library(
        _named("hipblas", ".0", ".1", ".2", ".3") + _named("rocblas", ".0", ".3", ".4", ".5"), _blas, _blas_interfaces
    ),
    "librewarpfft.so": _Library(_named("hipfft", ".0", ".1"), lambda: _sources("fft.c", "hipfft.c")),
    "librewarprand.so": _Library(
        _named("hiprand", ".1") + _named("rocrand", ".1"), lambda: _sources("rand.c", "hiprand.c")
    ),
}


@lru_cache(maxsize=1)
def _identity() -> str:
    digest = hashlib.sha256()
    for file in sorted(HERE.rglob("*")):
        if file.suffix in (".c", ".h", ".py"):
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:24]


@lru_cache(maxsize=1)
def headers() -> Path:
    """A folder of headers for what is here: declarations of the functions that the stand-ins have."""
    place = cache_folder() / "machine" / f"headers-{_identity()}"
    if not place.is_dir():
        made = [
            NewFile(place / file.relative_to(HERE / "include"), file.read_bytes())
            for file in HERE.glob("include/*/*.h")
        ]
        made += [NewFile(place / name / "functions.h", _declarations(name).encode()) for name in ("hipblas", "rocblas")]
        made += [
            NewFile(place / f"{name}.h", f"#include <{name}/{name}.h>\n".encode()) for name in ("hipblas", "rocblas")
        ]
        made.append(NewFile(place / "hipblas" / "overloads.h", "\n".join((*overloads(), "")).encode()))
        made.append(NewFile(place / "hiprand" / "xorwow_jumps.h", jumps_header().encode()))
        write_together(made)
    return place


def _declarations(name: str) -> str:
    library = name[:3]
    status = "hipblasStatus_t" if library == "hip" else "rocblas_status"
    plain = [f"int {one.name}({', '.join(parameters(one, header=True))});" for one in functions(library)]
    more = factors_declarations() if library == "hip" else ()
    return "".join(f"{status} {line.removeprefix('int ')}\n" for line in (*plain, *mixed_declarations(library), *more))


def needed(names: Iterable[str]) -> tuple[str, ...]:
    """The libraries that are meant: ``hipblas`` for a function ``hipblasSgemm`` and for a file ``libhipblas.so.2``."""
    known = {name[3:-3] for library in _LIBRARIES.values() for name in library.names if name.endswith(".so")}
    found = (re.match(r"(?:lib)?([a-z]+)", name) for name in names)
    return tuple(sorted(known & {match[1] for match in found if match}))


@lru_cache(maxsize=8)
def folder(*wanted: str) -> Path:
    """Where the libraries are, made if they are not there yet: all of them, or those that programs ask for by such names
    (``hipblas``, ``rocfft``). Raises MachineError."""
    place = machine_folder() / f"libraries-{_identity()}"
    for name, library in _LIBRARIES.items():
        if wanted and not any(f"lib{one}.so" in library.names for one in wanted):
            continue
        if not (place / name).exists():
            texts, options = [*_sources("calls.c"), *library.texts()], [*hosted_options(), *_OPTIONS]
            linked = [*system_libraries(), "-z", "defs"]
            compile_shared(place / name, texts, options, linked, thin=library.thin())
        for other in library.names:
            with contextlib.suppress(FileExistsError):
                os.symlink(name, place / other)
    return place
