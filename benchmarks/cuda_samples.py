"""What the folders of NVIDIA's cuda-samples build, how they are started, and how they say that they passed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hip_programs import Unit

SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c")
_LIBRARIES = ("cublas", "cufft", "curand", "cusparse", "cusolver", "nvrtc")
_EXECUTABLE = re.compile(r"add_executable\(\s*\S+\s+([^)]*)\)")
_INCLUDES = re.compile(r"include_directories\(([^)]*)\)")
_STATUS_TELLS = re.compile(r"\?\s*EXIT_SUCCESS\s*:\s*EXIT_FAILURE")
_WAIVED = 2
"""The exit status of a sample that lacks what it needs (EXIT_WAIVED in the samples' own header)."""
_SMALL_MATRICES = ("-wA=64", "-hA=64", "-wB=64", "-hB=64")
_SMALLER = {
    "FDTD3d": ("--dimx=64", "--dimy=64", "--dimz=64", "--timesteps=2"),
    "SobolQRNG": ("--vectors=10000", "--dimensions=100"),
    "UnifiedMemoryPerf": ("-kernel-iterations=1",),
    "eigenvalues": ("--matrix-size=256", "--iters-timing=1"),
    "matrixMul": _SMALL_MATRICES,
    "matrixMul_nvrtc": _SMALL_MATRICES,
    "reduction": ("--n=65536",),
    "reductionMultiBlockCG": ("--n=65536",),
    "threadFenceReduction": ("--n=65536",),
    "transpose": ("-dimX=256", "-dimY=256"),
}
"""Samples that take their sizes as arguments, and are made for much larger ones."""


@dataclass(frozen=True)
class Sample:
    folder: Path
    units: tuple[Unit, ...]
    libraries: tuple[str, ...]
    arguments: tuple[str, ...]
    status_tells: bool
    """Whether the exit status is made from the check's result, as it is in samples that print no word about it."""


def folders(root: Path) -> Iterator[Path]:
    """Every folder that builds an executable."""
    yield from sorted(
        file.parent for file in root.rglob("CMakeLists.txt") if _EXECUTABLE.search(file.read_text("utf-8", "replace"))
    )


def read(folder: Path, root: Path) -> Sample:
    listed = (folder / "CMakeLists.txt").read_text("utf-8", "replace")
    sources = [file for file in _paths(_EXECUTABLE, listed, folder) if file.suffix in SOURCES and file.is_file()]
    places = [place for place in _paths(_INCLUDES, listed, folder) if place.is_dir()]
    options = [f"-I{place}" for place in dict.fromkeys((*places, folder))]
    if "OpenMP" in listed:
        options.append("-fopenmp")
    return Sample(
        folder,
        tuple(Unit(file, tuple(options), True) for file in sources),
        tuple(name for name in _LIBRARIES if f"CUDA::{name}" in listed),
        _arguments(folder.name, root.parent / "test_args.json"),
        any(_STATUS_TELLS.search(file.read_text("utf-8", "replace")) for file in sources),
    )


def waived(status: object, said: str) -> bool:
    return status == _WAIVED and re.search(r"waiv|not support|requires?\b", said, re.I) is not None


def _paths(pattern: re.Pattern[str], listed: str, folder: Path) -> list[Path]:
    words = [word for found in pattern.findall(listed) for word in found.split()]
    plain = [re.sub(r"\$\{(?:CMAKE_CURRENT_SOURCE_DIR|PROJECT_SOURCE_DIR)\}", str(folder), word) for word in words]
    return list(dict.fromkeys(Path(os.path.normpath(folder / word)) for word in plain if "$" not in word))


def _arguments(name: str, table: Path) -> tuple[str, ...]:
    """Smaller sizes, or those of the first of the runs that the samples' own test makes."""
    if name in _SMALLER:
        return _SMALLER[name]
    said = json.loads(table.read_text()).get(name, {}) if table.is_file() else {}
    return tuple((said.get("runs") or [said])[0].get("args", ()))
