"""From instructions to C functions."""

from __future__ import annotations

from rewarp.machine import modes
from rewarp.machine.assembly import Instruction
from rewarp.machine.shapes import indexed, lanes, matrix, memory, scalar, vector
from rewarp.machine.shapes.shape import Encoded, Unsupported

__all__ = ["Encoded", "Unsupported", "encode"]


def encode(instruction: Instruction) -> Encoded:
    """The shape of an instruction, and what it adds to it. Raises Unsupported for what is not known."""
    if modes.UNKNOWN in instruction.flags:
        raise Unsupported(instruction, "code comes here that flushes denormal numbers, and code that does not")
    for read in _READERS:
        if found := read(instruction):
            return found
    raise Unsupported(instruction)


_READERS = (scalar.encode, vector.encode, lanes.encode, indexed.encode, memory.encode, matrix.encode)
