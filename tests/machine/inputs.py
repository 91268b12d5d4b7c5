"""Values that instructions are tried on: the edges of each type, and random ones between."""

from __future__ import annotations

import numpy as np

from machine.single import GROUPS, LOADED, SCALARS, Inputs

_INTEGERS = [0, 1, 2, 3, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFF]
_INTEGERS += [0x800000, 0xFFFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x00FF00FF, 0xAAAAAAAA]
_SINGLES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.0,
    1e-45,
    -1e-45,
    1.1754942e-38,
    1.1754944e-38,
    3.4028235e38,
]
_SINGLES += [
    -3.4028235e38,
    np.inf,
    -np.inf,
    np.nan,
    2147483648.0,
    -2147483648.0,
    4294967296.0,
    65504.0,
    65520.0,
    1e-7,
    255.5,
]
_SINGLES += [0.99999994, 8388609.5, 448.0, 57344.0, 1e-40, 240.0, 6e-8, 0.1]
_HALVES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -2.5,
    6e-8,
    -6e-8,
    6.1e-5,
    6.104e-5,
    65504.0,
    -65504.0,
    np.inf,
    -np.inf,
    np.nan,
]
_HALVES += [2047.0, 2049.0, 0.3333, 1024.5, 32768.0]
_DOUBLES = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308]
_DOUBLES += [
    np.inf,
    -np.inf,
    np.nan,
    2147483647.5,
    4294967295.5,
    3.4028235677973366e38,
    1e-45,
    7e-46,
    1e300,
    1e-300,
    1e22,
]


def _mixed(random: np.random.Generator, edges: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Half of the places hold an edge."""
    chosen = random.choice(edges, others.shape)
    return np.where(random.random(others.shape) < 0.5, chosen, others)


def words(random: np.random.Generator, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    """Registers full of a type; for 64 bits, two planes of them (the first axis)."""
    if kind == "f32":
        bits = _mixed(random, np.array(_SINGLES, np.float32).view(np.uint32), _any(random, shape, 8, 23))
        small = (random.standard_normal(shape) * 10).astype(np.float32).view(np.uint32)
        return np.where(random.random(shape) < 0.3, small, bits)
    if kind in ("f16", "bf16"):
        return _halves(random, kind, shape) | _halves(random, kind, shape) << np.uint32(16)
    if kind == "f64":
        edges = np.array(_DOUBLES).view(np.uint64)
        near = (random.standard_normal(shape[1:]) * 100).view(np.uint64)
        bits = _mixed(
            random,
            edges,
            np.where(random.random(shape[1:]) < 0.5, near, random.integers(0, 2**63, shape[1:], np.uint64) * 2),
        )
        return np.stack([(bits & np.uint64(0xFFFFFFFF)).astype(np.uint32), (bits >> np.uint64(32)).astype(np.uint32)])
    return _mixed(random, np.array(_INTEGERS, np.uint32), random.integers(0, 2**32, shape, np.uint32))


def _halves(random: np.random.Generator, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    if kind == "f16":
        edges, near = np.array(_HALVES, np.float16), random.standard_normal(shape).astype(np.float16)
        bits = near.view(np.uint16).astype(np.uint32)
        return _mixed(
            random,
            edges.view(np.uint16).astype(np.uint32),
            np.where(random.random(shape) < 0.5, bits, _any(random, shape, 5, 10)),
        )
    singles = np.array(_SINGLES, np.float32).view(np.uint32) >> 16
    near = random.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16
    return _mixed(random, singles, near)


def _any(random: np.random.Generator, shape: tuple[int, ...], exponents: int, mantissas: int) -> np.ndarray:
    """Any bits that are no signalling NaN: what becomes of those depends on a mode."""
    bits = random.integers(0, 1 << (1 + exponents + mantissas), shape, np.uint64).astype(np.uint32)
    all_ones = (bits >> np.uint32(mantissas) & np.uint32((1 << exponents) - 1)) == (1 << exponents) - 1
    return np.where(all_ones, bits | np.uint32(1 << (mantissas - 1)), bits)


def inputs(lanes: int, kinds: tuple[str, ...], seed: int, full: bool = False) -> Inputs:
    """For operands of these types: the three sources, then what the destination held."""
    random = np.random.default_rng(seed)
    groups = GROUPS[lanes]
    vectors = np.zeros((groups, len(LOADED), lanes), np.uint32)
    for operand, kind in enumerate((*kinds, "", "", "", "")[:4]):
        for register in range(4 * operand, 4 * operand + 4, 2):
            if kind == "f64":
                low, high = words(random, "f64", (2, groups, lanes))
                vectors[:, register], vectors[:, register + 1] = low, high
            else:
                vectors[:, register : register + 2] = words(random, kind, (groups, 2, lanes))
    same = random.random((groups, lanes)) < 0.1  # equal operands are an edge too
    vectors[:, 4:8] = np.where(same[:, None], vectors[:, 0:4], vectors[:, 4:8])
    scalars = np.zeros((groups, len(SCALARS) + 4), np.uint32)
    scalars[:] = words(random, "u32", scalars.shape)
    for first, kind in ((0, (*kinds, "")[0]), (4, (*kinds, "", "")[1])):
        scalars[:, first : first + 2] = _scalar(random, kind, groups)
    scalars[:, -4:-2] = random.integers(0, 2**32, (groups, 2), np.uint32)
    scalars[0, -4:-2] = 0xFFFFFFFF
    if full:
        scalars[:, -4:-2] = 0xFFFFFFFF
    scalars[:, -2] = random.integers(0, 2, groups)
    return Inputs(vectors, scalars)


def _scalar(random: np.random.Generator, kind: str, groups: int) -> np.ndarray:
    if kind == "f64":
        return words(random, "f64", (2, groups)).T
    return words(random, kind, (groups, 2))


def memory_inputs(lanes: int, kind: str, step: int, seed: int) -> Inputs:
    """v4 is an address, so many bytes apart from lane to lane; data of a type behind it."""
    found = inputs(lanes, ("u32", kind, kind, kind), seed)
    found.vectors[:, 0] = np.arange(lanes) * step
    return found
