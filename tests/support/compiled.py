"""The plain functions of rewarp_hip.h, compiled for this machine and called from Python."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path

import rewarp
from lane_simulator.build import host_compiler

HEADER_FOLDER = Path(rewarp.__file__).parent / "translation" / "support"
SOURCES = Path(__file__).parent

CXX = host_compiler()

Words = Sequence[int]


def build(source: str, output: Path, *options: str) -> Path:
    command = [*CXX, "-O1", f"-I{HEADER_FOLDER}", str(SOURCES / source), "-o", str(output), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return output


class Library:
    def __init__(self, folder: Path) -> None:
        options = ("-std=c++11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
        self._library = ctypes.CDLL(str(build("portable_library.cpp", folder / "portable.so", *options)))

    def call(self, name: str, a: Words, b: Words | None = None, c: Words | None = None) -> list[int]:
        count = len(a)
        array = ctypes.c_uint32 * count
        inputs = [array(*(value & 0xFFFFFFFF for value in values or [0] * count)) for values in (a, b, c)]
        out = array()
        getattr(self._library, name)(*inputs, out, ctypes.c_size_t(count))
        return list(out)
