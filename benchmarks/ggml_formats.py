"""ggml's quantised formats in NumPy: blocks of random weights, and what numbers they mean.

Written from the formats' definitions (the fields of a block, which bits of which byte are whose), not from any kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Fields = list[tuple[str, str, int]]
IQ4 = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float64)
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float64)


@dataclass(frozen=True)
class Format:
    """How many numbers a block has, its fields, and its numbers."""

    numbers: int
    fields: Fields
    decode: Callable[[np.ndarray], np.ndarray]

    @property
    def dtype(self) -> np.dtype:
        return np.dtype([(name, kind, (count,)) if count > 1 else (name, kind) for name, kind, count in self.fields])

    def random(self, blocks: int, random: np.random.Generator) -> np.ndarray:
        """Blocks whose scales are numbers of a model's size and whose other bits are any."""
        made = np.frombuffer(random.bytes(blocks * self.dtype.itemsize), self.dtype).copy()
        for name, kind, _ in self.fields:
            if kind == "<f2":
                made[name] = random.uniform(0.01, 0.1, blocks)
        if "e" in made.dtype.names:
            made["e"] = random.integers(118, 130, blocks)
        if "ue4m3" in made.dtype.names:
            made["ue4m3"] = random.integers(1, 120, (blocks, 4))
        return made

    def values(self, blocks: np.ndarray) -> np.ndarray:
        return self.decode(blocks).reshape(len(blocks), self.numbers)


def wide(field: np.ndarray) -> np.ndarray:
    """A scale, one for each row of a block's numbers."""
    return field.astype(np.float64)[:, None]


def nibbles(bytes_: np.ndarray) -> np.ndarray:
    """The low halves, then the high ones."""
    return np.concatenate([bytes_ & 15, bytes_ >> 4], -1).astype(np.int64)


def bits(bytes_: np.ndarray, width: int = 1) -> np.ndarray:
    """Each byte's fields of some bits, lowest first."""
    shifts = np.arange(0, 8, width)
    return ((bytes_[..., None] >> shifts) & ((1 << width) - 1)).reshape(len(bytes_), -1).astype(np.int64)


def fifth(block: np.ndarray) -> np.ndarray:
    return nibbles(block["qs"]) + 16 * bits(block["qh"])


def six_bit_scales(packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eight scales and eight minima of q4_K and q5_K: four of each whole, four more in the high bits of all."""
    first, second, third = (packed[:, 4 * part : 4 * part + 4].astype(np.int64) for part in range(3))
    scales = np.concatenate([first & 63, (third & 15) | (first >> 6 << 4)], 1)
    return scales, np.concatenate([second & 63, (third >> 4) | (second >> 6 << 4)], 1)


def q2_k(block: np.ndarray) -> np.ndarray:
    quarters = np.stack([block["qs"].reshape(-1, 2, 32) >> shift & 3 for shift in (0, 2, 4, 6)], 2).reshape(-1, 16, 16)
    scale, low = (block["scales"] & 15).astype(np.float64), (block["scales"] >> 4).astype(np.float64)
    return wide(block["d"])[..., None] * scale[..., None] * quarters - wide(block["dmin"])[..., None] * low[..., None]


def q3_k(block: np.ndarray) -> np.ndarray:
    low = np.stack([block["qs"].reshape(-1, 2, 32) >> shift & 3 for shift in (0, 2, 4, 6)], 2).reshape(-1, 8, 32)
    high = np.stack([block["hmask"] >> bit & 1 for bit in range(8)], 1)
    number = low.astype(np.int64) + 4 * high.astype(np.int64) - 4
    packed = block["scales"].astype(np.int64)
    upper = np.concatenate([packed[:, 8:12] >> shift & 3 for shift in (0, 2, 4, 6)], 1)
    scales = np.concatenate([packed[:, :8] & 15, packed[:, :8] >> 4], 1) + 16 * upper - 32
    return wide(block["d"])[..., None] * scales[..., None] * number.reshape(-1, 16, 16)


def q4_k(block: np.ndarray, high: np.ndarray | int = 0) -> np.ndarray:
    scales, lows = six_bit_scales(block["scales"])
    number = nibbles(block["qs"].reshape(-1, 4, 32)).reshape(-1, 8, 32) + high
    scaled = wide(block["d"])[..., None] * scales[..., None] * number
    return scaled - wide(block["dmin"])[..., None] * lows[..., None]


def q5_k(block: np.ndarray) -> np.ndarray:
    return q4_k(block, 16 * np.stack([block["qh"] >> bit & 1 for bit in range(8)], 1).astype(np.int64))


def q6_k(block: np.ndarray) -> np.ndarray:
    low = nibbles(block["ql"].reshape(-1, 2, 64)).reshape(-1, 2, 4, 32)
    high = np.stack([block["qh"].reshape(-1, 2, 32) >> shift & 3 for shift in (0, 2, 4, 6)], 2).astype(np.int64)
    number = (low + 16 * high - 32).reshape(-1, 16, 16)
    return wide(block["d"])[..., None] * block["scales"].astype(np.float64)[..., None] * number


def iq4_xs(block: np.ndarray) -> np.ndarray:
    low = bits(block["scales_l"], 4)
    high = block["scales_h"].astype(np.int64)[:, None] >> np.arange(0, 16, 2) & 3
    numbers = IQ4[nibbles(block["qs"].reshape(-1, 8, 16))]
    return wide(block["d"])[..., None] * (low + 16 * high - 32)[..., None] * numbers


def nvfp4(block: np.ndarray) -> np.ndarray:
    exponent, fraction = (block["ue4m3"] >> 3).astype(np.float64), (block["ue4m3"] & 7).astype(np.float64)
    scale = np.where(exponent == 0, fraction * 2.0**-9, (1 + fraction / 8) * 2.0 ** (exponent - 7))
    return scale[..., None] * FP4[nibbles(block["qs"].reshape(-1, 4, 8))]


D, DMIN, M = ("d", "<f2", 1), ("dmin", "<f2", 1), ("m", "<f2", 1)
FORMATS = {
    "q1_0": Format(128, [D, ("qs", "u1", 16)], lambda b: wide(b["d"]) * (2 * bits(b["qs"]) - 1)),
    "q2_0": Format(64, [D, ("qs", "u1", 16)], lambda b: wide(b["d"]) * (bits(b["qs"], 2) - 1)),
    "q4_0": Format(32, [D, ("qs", "u1", 16)], lambda b: wide(b["d"]) * (nibbles(b["qs"]) - 8)),
    "q4_1": Format(32, [D, M, ("qs", "u1", 16)], lambda b: wide(b["d"]) * nibbles(b["qs"]) + wide(b["m"])),
    "q5_0": Format(32, [D, ("qh", "u1", 4), ("qs", "u1", 16)], lambda b: wide(b["d"]) * (fifth(b) - 16)),
    "q5_1": Format(32, [D, M, ("qh", "u1", 4), ("qs", "u1", 16)], lambda b: wide(b["d"]) * fifth(b) + wide(b["m"])),
    "q8_0": Format(32, [D, ("qs", "i1", 32)], lambda b: wide(b["d"]) * b["qs"]),
    "q8_1": Format(32, [D, ("s", "<f2", 1), ("qs", "i1", 32)], lambda b: wide(b["d"]) * b["qs"]),
    "q2_K": Format(256, [("scales", "u1", 16), ("qs", "u1", 64), D, DMIN], q2_k),
    "q3_K": Format(256, [("hmask", "u1", 32), ("qs", "u1", 64), ("scales", "u1", 12), D], q3_k),
    "q4_K": Format(256, [D, DMIN, ("scales", "u1", 12), ("qs", "u1", 128)], q4_k),
    "q5_K": Format(256, [D, DMIN, ("scales", "u1", 12), ("qh", "u1", 32), ("qs", "u1", 128)], q5_k),
    "q6_K": Format(256, [("ql", "u1", 128), ("qh", "u1", 64), ("scales", "i1", 16), D], q6_k),
    "iq4_nl": Format(32, [D, ("qs", "u1", 16)], lambda b: wide(b["d"]) * IQ4[nibbles(b["qs"])]),
    "iq4_xs": Format(256, [D, ("scales_h", "<u2", 1), ("scales_l", "u1", 4), ("qs", "u1", 128)], iq4_xs),
    "mxfp4": Format(32, [("e", "u1", 1), ("qs", "u1", 16)], lambda b: 2.0 ** (wide(b["e"]) - 127) * FP4[nibbles(b["qs"])]),
    "nvfp4": Format(64, [("ue4m3", "u1", 4), ("qs", "u1", 32)], nvfp4),
}  # fmt: skip


def quantised_q8_1(rows: np.ndarray) -> np.ndarray:
    """Rows of numbers as q8_1: 32 bytes with their scale and the sum of what they were."""
    parts = rows.reshape(-1, 32).astype(np.float32)
    made = np.zeros(len(parts), FORMATS["q8_1"].dtype)
    scale = np.abs(parts).max(1) / np.float32(127)
    made["d"], made["s"] = scale, parts.sum(1)
    exact = parts / np.where(scale == 0, 1, scale)[:, None]
    made["qs"] = np.trunc(exact + np.copysign(np.float32(0.5), exact))
    return made
