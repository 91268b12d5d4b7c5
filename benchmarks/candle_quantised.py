"""References for candle's quantised kernels (ggml's formats), its sorts and what it moves by indices."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from ggml_formats import FORMATS, Format, quantised_q8_1
from kernel_checks import error

from rewarp import machine

RANDOM = np.random.default_rng(12)
TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "u8": np.uint8, "u32": np.uint32, "i64": np.int64}
BOUNDS = {"f16": 1e-3, "f32": 4e-6, "f64": 1e-13}
THREADS = {"q2_K": 64, "q3_K": 64, "q4_K": 32, "q5_K": 64, "q6_K": 64}
ROWS, COLUMNS = 6, 1024
LAST = object()


def quantised(program: machine.LoadedProgram, kernel: str) -> tuple[float, float] | None:
    found = re.match(r"(dequantize_block|dequantize_mul_mat_vec|mul_mat_vec|get_rows)_(q\d_\w)(\w*)", kernel)
    if kernel == "quantize_q8_1":
        return quantise(program)
    if not found or found[2].replace("k", "K") not in FORMATS:
        return None
    name = found[2].replace("k", "K")
    form, what = FORMATS[name], found[1]
    blocks = form.random(ROWS * COLUMNS // form.numbers, RANDOM)
    table = form.values(blocks).reshape(ROWS, COLUMNS)
    if what == "dequantize_block":
        return dequantised(program, kernel, name, blocks, table)
    if what == "get_rows":
        return rows(program, kernel, name, blocks, table)
    if what == "dequantize_mul_mat_vec":
        y, out = RANDOM.uniform(-1, 1, COLUMNS).astype(np.float32), np.zeros(ROWS, np.float32)
        more = () if name == "q5_K" else (ROWS,)
        program.launch(kernel, (ROWS,), (32,), (blocks, y, out, COLUMNS, *more))
        return error(out, table @ y.astype(np.float64)), 2e-5
    return by_vectors(program, kernel, form, blocks)


def dequantised(
    program: machine.LoadedProgram, kernel: str, name: str, blocks: np.ndarray, table: np.ndarray
) -> tuple[float, float]:
    kind = kernel.rpartition("_")[2]
    out = np.zeros(table.shape, TYPES[kind])
    groups, threads, more = table.size // 256, 32, (table.size // 32,)
    if name in THREADS:
        threads, more = THREADS[name], ()
    elif name in ("q5_0", "q5_1"):
        groups, threads, more = table.size // 512, 256, (table.size,)
    program.launch(kernel, (groups,), (threads,), (blocks, out, *more))
    return error(out, table), BOUNDS[kind]


def rows(
    program: machine.LoadedProgram, kernel: str, name: str, blocks: np.ndarray, table: np.ndarray
) -> tuple[float, float]:
    places, out = RANDOM.integers(0, ROWS, 9).astype(np.uint32), np.zeros((9, COLUMNS), np.float32)
    grid, threads = ((9, COLUMNS // 256), THREADS[name]) if name in THREADS else ((9, COLUMNS // 512), 256)
    program.launch(kernel, grid, (threads,), (blocks, places, out, COLUMNS, blocks.nbytes // ROWS))
    return error(out, table[places]), BOUNDS["f32"]


def by_vectors(
    program: machine.LoadedProgram, kernel: str, form: Format, blocks: np.ndarray
) -> tuple[float, float] | None:
    found = re.search(r"_q8_1_cuda(\d)$", kernel)
    if not found:
        return None
    count = int(found[1])
    y = RANDOM.uniform(-1, 1, (count, COLUMNS))
    vectors, out = quantised_q8_1(y), np.zeros((count, ROWS), np.float32)
    groups, waves = (ROWS if count == 1 else ROWS // 2), (4 if count <= 4 else 2)
    program.launch(kernel, (groups,), (32, waves), (blocks, vectors, out, COLUMNS, ROWS, COLUMNS, ROWS))
    by = FORMATS["q8_1"].values(vectors).reshape(count, COLUMNS)
    # A block's minimum is taken times the sum of its numbers before they were quantised.
    return error(out, by @ form.values(blocks).reshape(ROWS, COLUMNS).T), 2e-2


def quantise(program: machine.LoadedProgram) -> tuple[float, float]:
    x = RANDOM.uniform(-3, 3, (ROWS, 900)).astype(np.float32)
    expected = quantised_q8_1(np.pad(x, ((0, 0), (0, COLUMNS - 900))))
    out = np.zeros_like(expected)
    program.launch("quantize_q8_1", (COLUMNS // 256, ROWS), (256,), (x, out, 900, COLUMNS))
    steps = np.abs(out["qs"].astype(int) - expected["qs"])
    if steps.max() > 1 or (steps > 0).mean() > 0.01:
        return float(steps.max()), 0.0
    return max(error(out["d"], expected["d"]), error(out["s"], expected["s"])), BOUNDS["f16"]


def sort(program: machine.LoadedProgram, kernel: str) -> tuple[float, float] | None:
    """The numbers in the order that the kernel gives; of the same ones, either place is right."""
    _, order, kind = kernel.split("_")
    if kind not in TYPES:
        return None
    x = RANDOM.permutation(1000 if kind != "u8" else 250)[:240].astype(TYPES[kind]).reshape(3, 80)
    out = np.zeros((3, 80), np.uint32)
    program.launch(kernel, (3,), (128,), (x, out, 80, 128), dynamic_lds=512)
    rising = np.argsort(x, 1)
    return float((out != (rising if order == "asc" else rising[:, ::-1])).sum()), 0.0


def indexed(program: machine.LoadedProgram, kernel: str) -> tuple[float, float] | None:
    """Of 2 x 7 x 5 numbers, four of the seven; the largest index there is means none."""
    what, by, kind = kernel.split("_", 2)
    if by not in TYPES or kind not in TYPES:
        return None
    left, size, picked, right = 2, 7, 4, 5
    one, index = TYPES[kind], TYPES[by]
    none = np.iinfo(index).max
    x = RANDOM.integers(0, 50, (left, size, right)).astype(one)
    part = RANDOM.integers(0, 50, (left, picked, right)).astype(one)
    ids = RANDOM.integers(0, size, picked).astype(index)
    many = np.argsort(RANDOM.random((left, size, right)), 1)[:, :picked].astype(index)
    ids[1], many[1, 1, 1] = none, none
    known, kept = ids != none, many != none
    where = np.where(kept, many, 0).astype(int)
    at = np.nonzero(kept)
    into: tuple[Any, ...] = (at[0], where[at], at[2])
    if what == "is":
        info, expected = np.array([left, size, right, size * right, right, 1], np.uint64), np.zeros_like(part)
        expected[:, known] = x[:, ids[known].astype(int)]
        return moved(program, kernel, expected, part.size, 3, info, ids, x, LAST, left, size, picked, right)
    if what == "gather":
        expected = np.where(kept, np.take_along_axis(x, where, 1), 0).astype(one)
        return moved(program, kernel, expected, part.size, many, x, LAST, left, size, picked, right)
    expected = np.zeros_like(x)
    if what == "ia":
        np.add.at(expected, (slice(None), ids[known].astype(int)), part[:, known])
        return moved(program, kernel, expected, ids, picked, part, LAST, left, picked, size, right)
    if what == "sa":
        np.add.at(expected, into, part[at])
    elif what == "s":
        expected[into] = part[at]
    else:
        return None
    return moved(program, kernel, expected, many, part, LAST, left, picked, size, right)


def moved(program: machine.LoadedProgram, kernel: str, expected: np.ndarray, *given: Any) -> tuple[float, float]:
    """Launched with the result in its place among the arguments. Whole numbers: nothing may be off."""
    out = np.zeros_like(expected)
    program.launch(kernel, (2,), (64,), [out if one is LAST else one for one in given])
    return error(out, expected), 0.0
