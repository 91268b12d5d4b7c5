"""How ggml's kernels are called: their names' template arguments, and what its host code hands to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from kernel_checks import BF16, F16, F32, Numbers

from rewarp import machine
from rewarp.toolchain.demangle import demangled

Outcome = tuple[float, float] | None
RANDOM = np.random.default_rng(11)
TYPES = {"float": F32, "__half": F16, "__hip_bfloat16": BF16, "int": Numbers(np.int32, 0.0)}


class Kernel:
    """A kernel of a program, by what its name says."""

    def __init__(self, program: machine.LoadedProgram, name: str) -> None:
        self.program, self.name = program, name
        self.signature = demangled(name)
        self.base, _, inside = self.signature.partition("<")
        self.arguments = (
            [one.strip() for one in re.split(r",(?![^<(]*[>)])", inside.rpartition(">")[0])] if inside else []
        )
        described = program.program.kernels[name].metadata
        self.wave, self.threads = int(described[".wavefront_size"]), int(described[".max_flat_workgroup_size"])

    def types(self) -> list[Numbers]:
        """The types among the template's arguments, in their order."""
        return [TYPES[one] for one in self.arguments if one in TYPES]

    def run(self, grid: Sequence[int], block: Sequence[int], *given: Any, lds: int = 0, **more: Any) -> None:
        self.program.launch(self.name, grid, block, given, dynamic_lds=lds, **more)


def divisor(number: int) -> bytes:
    """What ggml hands over to divide by a number: a multiplier, a shift, and the number."""
    shift = (number - 1).bit_length()
    return np.array([(1 << 32) * ((1 << shift) - number) // number + 1, shift, number], np.uint32).tobytes()


def uniform(*shape: int, low: float = -3, high: float = 3) -> np.ndarray:
    return RANDOM.uniform(low, high, shape)
