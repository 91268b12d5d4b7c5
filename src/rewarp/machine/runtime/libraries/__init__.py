"""Libraries that programs for AMD link: BLAS, FFT and random numbers, computed on the host and reported as such.

``folder()`` holds them under the names that programs ask for; they are compiled on first use and kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from rewarp.machine.library import compile_shared, hosted_options, machine_folder, system_libraries
from rewarp.machine.runtime.libraries.blas import source
from rewarp.machine.runtime.libraries.blas_mixed import mixed_source

HERE = Path(__file__).parent
_OPTIONS = ("-O3", "-fvisibility=hidden", "-ffp-contract=fast", "-fcx-limited-range", "-I", str(HERE))


def _blas() -> list[str]:
    kernels = ("blas_vectors.h", "blas_matrices.h", "blas_products.h")
    texts = [f'#define KIND {kind}\n#include "{name}"\n' for name in kernels for kind in (1, 2, 3, 4)]
    texts += [_text("blas_handles.c"), _text("blas_mixed.c")]
    return texts + [text for library in ("hip", "roc") for text in (source(library), mixed_source(library))]


def _text(name: str) -> str:
    return (HERE / name).read_text("utf-8")


_LIBRARIES: dict[str, tuple[Callable[[], list[str]], tuple[str, ...]]] = {
    "librewarpblas.so": (
        _blas,
        (
            *(f"libhipblas.so{ending}" for ending in ("", ".0", ".1", ".2", ".3")),
            *(f"librocblas.so{ending}" for ending in ("", ".0", ".3", ".4", ".5")),
        ),
    ),
}


@lru_cache(maxsize=8)
def folder(*wanted: str) -> Path:
    """Where the libraries are, made if they are not there yet: all of them, or those that programs ask for by such names
    (``hipblas``, ``rocfft``). Raises MachineError."""
    digest = hashlib.sha256()
    for file in sorted(HERE.iterdir()):
        if file.suffix in (".c", ".h", ".py"):
            digest.update(file.name.encode() + file.read_bytes())
    place = machine_folder() / f"libraries-{digest.hexdigest()[:24]}"
    for name, (texts, names) in _LIBRARIES.items():
        if wanted and not any(other.partition(".")[0] == f"lib{one}" for one in wanted for other in names):
            continue
        if not (place / name).exists():
            options = [*hosted_options(), *_OPTIONS]
            compile_shared(place / name, [_text("calls.c"), *texts()], options, system_libraries())
        for other in names:
            with contextlib.suppress(FileExistsError):
                os.symlink(name, place / other)
    return place
