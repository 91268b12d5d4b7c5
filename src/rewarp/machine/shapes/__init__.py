"""From instructions to C functions."""

from __future__ import annotations

from rewarp.machine.assembly import Instruction
from rewarp.machine.shapes import lanes, matrix, memory, scalar, vector
from rewarp.machine.shapes.model import Encoded, Unsupported

__all__ = ["Encoded", "Unsupported", "encode"]


def encode(instruction: Instruction) -> Encoded:
    """The shape of an instruction, and what it adds to it. Raises Unsupported for what is not known."""
    first = instruction.mnemonic[0]
    readers = (scalar.encode,) if first == "s" and instruction.mnemonic.startswith("s_") else _OTHERS
    for read in readers:
        if found := read(instruction):
            return found
    if found := scalar.encode(instruction):
        return found
    raise Unsupported(instruction)


_OTHERS = (vector.encode, lanes.encode, memory.encode, matrix.encode)
