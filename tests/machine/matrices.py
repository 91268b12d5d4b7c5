"""Matrix instructions beside NumPy: where each element lies in registers, as AMD's matrix calculator lists it (every element of
every instruction of gfx942 was compared with that list), and what the product is."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

WIDTHS = {"f32": 32, "xf32": 32, "f16": 16, "bf16": 16, "i8": 8, "fp8": 8, "bf8": 8, "f64": 64}
_NAME = re.compile(r"v_(s?)mfmac?_(f32|i32|f64)_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?_(\w+)$")
_LANE_GROUPS = {1: (0, 32), 2: (32, 32), 4: (0, 16), 5: (16, 16), 6: (32, 16), 7: (48, 16)}


@dataclass
class Matrix:
    """What the name of an instruction says."""

    sparse: bool
    result: str
    rows: int
    columns: int
    depth: int
    blocks: int
    kinds: tuple[str, str]

    @classmethod
    def of(cls, name: str) -> Matrix:
        found = _NAME.match(name)
        assert found, name
        kinds = found[7].split("_")
        sizes = [int(found[n]) for n in (3, 4, 5)]
        return cls(bool(found[1]), found[2], *sizes, int(found[6] or 1), (kinds[0], kinds[-1]))


def bits(kind: str, number: int) -> int:
    """A small whole number in a format."""
    if kind in ("f32", "xf32"):
        return int(np.float32(number).view(np.uint32))
    if kind == "f64":
        return int(np.float64(number).view(np.uint64))
    if kind == "f16":
        return int(np.float16(number).view(np.uint16))
    if kind == "bf16":
        return int(np.float32(number).view(np.uint32)) >> 16
    if kind == "i8":
        return number & 255
    # FNUZ: a bias of 8 or 16, zero without a sign.
    if number == 0:
        return 0
    mantissas, bias = (3, 8) if kind == "fp8" else (2, 16)
    exponent = abs(number).bit_length() - 1
    mantissa = (abs(number) << mantissas >> exponent) & ((1 << mantissas) - 1)
    return (128 if number < 0 else 0) | (exponent + bias) << mantissas | mantissa


def place(matrix: Matrix, row: int, k: int, block: int, rows: int, kind: str) -> tuple[int, int]:
    """The lane and the bit (counted through the registers of the lane) of A[row][k], or of B[k][column]."""
    held = matrix.depth * rows * matrix.blocks // 64
    lane = row + rows * (block + matrix.blocks * (k // held))
    return lane, k % held * WIDTHS[kind]


def sparse_place(matrix: Matrix, row: int, k: int, which: int) -> tuple[int, int]:
    """Of each four neighbours two are stored; this is the first or the second of those around k."""
    held = matrix.depth * matrix.rows // 128
    return row + matrix.rows * (k // (2 * held)), (k % (2 * held) // 4 * 2 + which) * WIDTHS[matrix.kinds[0]]


def result_place(matrix: Matrix, row: int, column: int, block: int) -> tuple[int, int]:
    """The lane and the register of D[row][column]."""
    if matrix.result == "f64":
        return (16 * row + 4 * block + column, 0) if matrix.rows == 4 else (16 * (row % 4) + column, 2 * (row // 4))
    if matrix.rows == 4:
        return column + 4 * block, row
    if matrix.rows == 16:
        return 16 * (row // 4) + column, row % 4 + 4 * block
    return 32 * (row // 4 % 2) + column, row % 4 + 4 * (row // 8) + 16 * block


def lane_for(blgp: int, lane: int) -> int:
    """blgp: the lane that stands in for another one."""
    if blgp == 3:
        return (lane + 16) % 64
    first, count = _LANE_GROUPS.get(blgp, (0, 64))
    return first + lane % count


class Registers:
    def __init__(self) -> None:
        self.words = np.zeros((64, 40), np.uint32)

    def put(self, lane: int, bit: int, width: int, value: int) -> None:
        for at in range(0, width, 32):
            word, shift = (bit + at) // 32, (bit + at) % 32
            self.words[lane, word] |= np.uint32((value >> at & ((1 << min(width, 32)) - 1)) << shift & 0xFFFFFFFF)


@dataclass
class Prepared:
    a: Registers
    b: Registers
    index: Registers
    product: np.ndarray
    """Blocks, rows, columns."""


def prepare(matrix: Matrix, random: np.random.Generator, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Prepared:
    """Small whole numbers in the registers where the instruction looks for them, and their product."""
    a = random.integers(-3, 4, (matrix.blocks, matrix.rows, matrix.depth))
    b = random.integers(-3, 4, (matrix.blocks, matrix.depth, matrix.columns))
    left, right, index = Registers(), Registers(), Registers()
    if matrix.sparse:
        a[:] = 0
        _compress(matrix, random, a, left, index, abid if not cbsz else 0)
    else:
        for block, row, k in np.ndindex(a.shape):
            lane, bit = place(matrix, row, k, block, matrix.rows, matrix.kinds[0])
            left.put(lane, bit, WIDTHS[matrix.kinds[0]], bits(matrix.kinds[0], int(a[block, row, k])))
    for block, k, column in np.ndindex(b.shape):
        lane, bit = place(matrix, column, k, block, matrix.columns, matrix.kinds[1])
        right.put(lane, bit, WIDTHS[matrix.kinds[1]], bits(matrix.kinds[1], int(b[block, k, column])))
    if cbsz and not matrix.sparse:
        a = np.stack([a[(block >> cbsz << cbsz) + abid] for block in range(matrix.blocks)])
    if matrix.result == "f64":
        a, b = a * (-1 if blgp & 1 else 1), b * (-1 if blgp & 2 else 1)
    elif blgp:
        b = _regrouped(matrix, b, blgp)
    return Prepared(left, right, index, a @ b)


def _compress(
    matrix: Matrix, random: np.random.Generator, a: np.ndarray, left: Registers, index: Registers, abid: int
) -> None:
    per_lane = matrix.depth * matrix.rows // 128
    for row in range(matrix.rows):
        for k in range(0, matrix.depth, 4):
            for which, chosen in enumerate(sorted(random.choice(4, 2, replace=False).tolist())):
                value = int(random.integers(-3, 4))
                a[0, row, k + chosen] = value
                lane, bit = sparse_place(matrix, row, k, which)
                left.put(lane, bit, WIDTHS[matrix.kinds[0]], bits(matrix.kinds[0], value))
                index.put(lane, 2 * per_lane * abid + bit // WIDTHS[matrix.kinds[0]] * 2, 2, chosen)


def _regrouped(matrix: Matrix, b: np.ndarray, blgp: int) -> np.ndarray:
    """B as the lanes that stand in hold it."""
    at = {}
    for block, k, column in np.ndindex(b.shape):
        at[place(matrix, column, k, block, matrix.columns, matrix.kinds[1])] = (block, k, column)
    found = np.zeros_like(b)
    for (lane, bit), to in at.items():
        found[to] = b[at[lane_for(blgp, lane), bit]]
    return found
