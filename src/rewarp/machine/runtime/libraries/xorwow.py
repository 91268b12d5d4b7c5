"""Far jumps of XORWOW: its step is linear in 160 bits, so that 2**67 steps are one matrix."""

from __future__ import annotations

BITS = 160
_WORD = (1 << 32) - 1
_SEQUENCE = 67
_DIGITS = 32
"""Of a sequence's number, to the base 4."""

Matrix = list[int]
"""What becomes of each bit."""


def step(state: int) -> int:
    """One step of the five words, the first one lowest; what is added to them is not linear, and apart."""
    words = [state >> 32 * number & _WORD for number in range(5)]
    t = words[0] ^ words[0] >> 2
    last = words[4] ^ words[4] << 4 ^ t ^ t << 1
    return sum(word << 32 * number for number, word in enumerate([*words[1:], last & _WORD]))


def moved(matrix: Matrix, state: int) -> int:
    found = 0
    while state:
        lowest = state & -state
        found ^= matrix[lowest.bit_length() - 1]
        state ^= lowest
    return found


def squared(matrix: Matrix, times: int = 1) -> Matrix:
    for _ in range(times):
        matrix = [moved(matrix, image) for image in matrix]
    return matrix


def jumps_header() -> str:
    """A table in C: the jump over one sequence, over 4, over 16 …"""
    matrix = squared([step(1 << bit) for bit in range(BITS)], _SEQUENCE)
    lines = ["#pragma once", f"static __device__ const unsigned int rewarp_xorwow_jumps[{_DIGITS}][{BITS}][5] = {{"]
    for _ in range(_DIGITS):
        rows = (",".join(str(image >> 32 * word & _WORD) for word in range(5)) for image in matrix)
        lines.append("{" + ",".join(f"{{{row}}}" for row in rows) + "},")
        matrix = squared(matrix, 2)
    return "\n".join([*lines, "};"]) + "\n"
