"""References for ggml's kernels that move numbers between formats: dequantise, convert, quantise, get rows, copy."""

from __future__ import annotations

import re

import numpy as np
from ggml_calls import RANDOM, TYPES, Kernel, Outcome, divisor, uniform
from ggml_formats import FORMATS, quantised_q8_1
from kernel_checks import F16, F32, error

THREADS = {"q4_0": 32, "q4_1": 32, "q2_K": 64, "q3_K": 64, "q4_K": 32, "q5_K": 64, "q6_K": 64}
"""Of the others 32 too, and of nvfp4 for a block of 64."""


def format_named(text: str) -> str | None:
    """The format in a function's name: ``q4_0`` of ``dequantize_q4_0``."""
    found = re.search("|".join(sorted(FORMATS, key=len, reverse=True)), text)
    return found[0] if found else None


def whole(kernel: Kernel) -> Outcome:
    """Kernels that take a run of blocks: super-blocks of 256 numbers each, or what is as long."""
    name, kinds = format_named(kernel.base), kernel.types() or [F16]
    if name is None:
        return None
    form, (kind,) = FORMATS[name], kinds
    blocks = form.random(4096 // form.numbers, RANDOM)
    out = np.zeros(4096, kind.dtype)
    if kernel.base == "dequantize_block_q8_0_f16":
        kernel.run((2,), (32,), blocks, out, 4096)
    elif name == "nvfp4":
        kernel.run((len(blocks),), (32,), blocks, out, 4096)
    else:
        more = (len(blocks),) if name in ("q4_0", "q4_1") else ()
        kernel.run((16,), (THREADS.get(name, 32),), blocks, out, *more)
    return error(kind.read(out), form.values(blocks).ravel()), kind.bound


def strided(kernel: Kernel) -> Outcome:
    """Three rows of two matrices, with room behind each row."""
    (kind,), name = kernel.types(), format_named(kernel.arguments[2])
    if name is None:
        return None
    form, columns = FORMATS[name], 512
    row = columns // form.numbers
    blocks = form.random(2 * 3 * (row + 1), RANDOM).reshape(2, 3, row + 1)
    out = np.zeros((2, 3, columns), kind.dtype)
    sizes = (columns, 3, 2, divisor(2), row + 1, 3 * (row + 1), 6 * (row + 1))
    kernel.run((1, 3, 2), (256,), blocks, out, *sizes)
    expected = form.values(blocks[:, :, :row].reshape(-1)).reshape(2, 3, columns)
    return error(kind.read(out), expected), kind.bound


def converted(kernel: Kernel) -> Outcome:
    from_, to = kernel.types()
    x, wide = from_.rounded(uniform(2, 3, 520))
    out = np.zeros((2, 3, 500), to.dtype)
    kernel.run((2, 3, 2), (256,), x, out, 500, 3, 2, divisor(2), 520, 3 * 520, 6 * 520)
    return error(to.read(out), wide[..., :500]), max(from_.bound, to.bound)


def rows(kernel: Kernel) -> Outcome:
    """Seven rows out of nine, chosen for two matrices apart."""
    kinds, columns = kernel.types(), 512
    places = RANDOM.integers(0, 9, (2, 7)).astype(np.int32)
    out = np.zeros((2, 7, columns), kinds[-1].dtype)
    if kernel.base.startswith("k_get_rows_float"):
        x, wide = kinds[0].rounded(uniform(2, 9, columns))
        bytes_ = columns * x.itemsize
    else:
        name = format_named(next(one for one in kernel.arguments if "dequantize" in one))
        if name is None:
            return None
        form = FORMATS[name]
        x = form.random(18 * columns // form.numbers, RANDOM)
        wide, bytes_ = form.values(x).reshape(2, 9, columns), columns // form.numbers * form.dtype.itemsize
    numbers = columns * x.itemsize // 16 if kernel.base == "k_get_rows_float_vec" else columns
    threads = 256
    if kernel.base == "k_get_rows_kq":
        threads = THREADS.get(str(name), 32)
    strides = (columns, 7 * columns, 14 * columns, bytes_, 9 * bytes_, 18 * bytes_, 1, 7, 14)
    kernel.run((7, 1, 2), (threads,), x, places, out, numbers, 2, divisor(1), *strides)
    expected = np.stack([wide[one, places[one]] for one in range(2)])
    if kinds[-1].dtype is np.int32:
        expected = np.trunc(expected)
    return error(kinds[-1].read(out), expected), max(kind.bound for kind in kinds)


def rows_back(kernel: Kernel) -> Outcome:
    gradient, out = uniform(7, 100).astype(np.float32), np.zeros((9, 100), np.float32)
    places = RANDOM.integers(0, 9, 7).astype(np.int32)
    kernel.run((1, 9), (256,), gradient, places, out, 100, 7, 9)
    expected = np.zeros((9, 100))
    np.add.at(expected, places, gradient.astype(np.float64))
    return error(out, expected), F32.bound


def quantise(kernel: Kernel) -> Outcome:
    """Rows of 200 numbers, the rest of 256 nought. A number half way between two steps may go to either."""
    x = uniform(2, 3, 200).astype(np.float32)
    padded = np.pad(x, ((0, 0), (0, 0), (0, 56)))
    expected, out = quantised_q8_1(padded), np.zeros(2 * 3 * 8, FORMATS["q8_1"].dtype)
    kernel.run((1, 3, 2), (256,), x, out, 200, 200, 600, 1200, 256, 3, divisor(2))
    steps = np.abs(out["qs"].astype(int) - expected["qs"])
    if steps.max() > 1 or (steps > 0).mean() > 0.01:
        return float(steps.max()), 0.0
    return max(error(out["d"], expected["d"]), error(out["s"], expected["s"])), F16.bound


def quantise_tiles(kernel: Kernel) -> Outcome:
    """128 numbers and their scales as the matrix kernels take them; what the scales are laid out like has a number."""
    layout, scatter = kernel.arguments[0], kernel.arguments[1] in ("true", "1")
    if scatter:
        return None
    scales = [("d", "<f4", (4,))] if layout.endswith("0") else [("ds", "<f2", (4, 2))]
    if layout.endswith("2"):
        scales = [("d", "<f2", (2,)), ("s", "<f2", (6,))]
    x = uniform(3, 512).astype(np.float32)
    out = np.zeros((4, 3), np.dtype([*scales, ("qs", "i1", (128,))]))
    kernel.run((3, 1, 1), (128,), x, 0, out, 512, 512, x.size, x.size, 512, 3, 1, 1)
    parts = x.reshape(3, 4, 128).swapaxes(0, 1).astype(np.float64)
    width = 64 if layout.endswith("2") else 32
    step = np.abs(parts.reshape(4, 3, -1, width)).max(-1) / 127
    found = [error(out["ds"][..., 0] if "ds" in out.dtype.names else out["d"], step)]
    if layout.endswith("1"):
        found.append(error(out["ds"][..., 1], parts.reshape(4, 3, 4, 32).sum(-1)))
    if layout.endswith("2"):
        found.append(error(out["s"], parts.reshape(4, 3, 8, 16).sum(-1)[..., :6]))
    away = np.abs(out["qs"] * np.repeat(step, width, -1) - parts) / np.repeat(step, width, -1)
    return (max(found) if away.max() <= 0.501 else float(away.max())), F16.bound


def copied(kernel: Kernel) -> Outcome:
    """A matrix of 70 x 50, twice, read across its rows where the kernel can."""
    kinds = [TYPES[one] for one in re.findall(r"__hip_bfloat16|__half|float|int", ",".join(kernel.arguments))]
    if not kinds:
        return None
    from_, to = kinds[0], kinds[-1]
    x, wide = from_.rounded(uniform(2, 50, 70))
    wide = np.trunc(wide) if to.dtype is np.int32 else wide
    out = np.zeros((2, 70, 50), to.dtype)
    one, other = x.itemsize, out.itemsize
    if kernel.base == "cpy_scalar_contiguous":
        kernel.run((x.size // 64 + 1,), (64,), x, out, x.size)
        return error(to.read(out).ravel(), wide.ravel()), max(from_.bound, to.bound)
    strides = (
        50,
        70,
        2,
        70 * one,
        one,
        3500 * one,
        7000 * one,
        50,
        70,
        2,
        other,
        50 * other,
        3500 * other,
        7000 * other,
    )
    blocks, threads = ((3, 2, 1), (32, 8)) if kernel.base == "cpy_scalar_transpose" else ((x.size // 64 + 1,), (64,))
    kernel.run(blocks, threads, x, out, x.size, *strides)
    return error(to.read(out), wide.swapaxes(1, 2)), max(from_.bound, to.bound)


def copied_quantised(kernel: Kernel) -> Outcome:
    """Into a format and out of it. What went in is off by half a step at most; iq4_nl's steps are as wide as 24 of its 127."""
    name = format_named(kernel.arguments[0])
    if name is None:
        return None
    form, columns = FORMATS[name], 128
    per, size = columns // form.numbers, form.dtype.itemsize
    wide = [columns, 6, 1, 4, columns * 4, columns * 24, columns * 24]
    packed = [columns, 6, 1, size, per * size, per * size * 6, per * size * 6]
    if kernel.base == "cpy_q_f32":
        blocks, out = form.random(6 * per, RANDOM), np.zeros((6, columns), np.float32)
        kernel.run((1,), (64,), blocks, out, out.size, *packed, *wide)
        return error(out.reshape(-1, form.numbers), form.values(blocks)), F32.bound
    x, blocks = uniform(6, columns).astype(np.float32), np.zeros(6 * per, form.dtype)
    kernel.run((1,), (64,), x, blocks, x.size, *wide, *packed)
    step = np.abs(blocks["d"].astype(np.float64))[:, None] * (24 if name == "iq4_nl" else 1)
    away = np.abs(form.values(blocks) - x.reshape(-1, form.numbers)) / step
    largest = np.abs(x.reshape(-1, form.numbers)).max(1)
    reach = {"q4_0": 8, "q5_0": 16, "q8_0": 127, "iq4_nl": 127}.get(name)
    if reach:  # the largest number is one of the format's own
        assert error(np.abs(blocks["d"]) * np.float64(reach), largest) < 0.2
    # The formats whose codes are not symmetric cannot hold the largest of the other sign: a whole step off.
    return float(away.max()), 1.01 if name in ("q4_0", "q5_0", "iq4_nl") else 0.52


FORMATS_WHOLE = (*THREADS, "iq4_nl", "iq4_xs", "mxfp4", "nvfp4", "q8_0_f16")
CHECKS = {
    **{f"dequantize_block_{name}": whole for name in FORMATS_WHOLE},
    "dequantize_block": strided, "convert_unary": converted, "k_get_rows": rows, "k_get_rows_kq": rows, "k_get_rows_float": rows,
    "k_get_rows_float_vec": rows, "k_get_rows_back_float": rows_back, "quantize_q8_1": quantise, "quantize_mmq_q8_1": quantise_tiles,
    "cpy_scalar": copied, "cpy_scalar_contiguous": copied, "cpy_scalar_transpose": copied, "cpy_f32_q": copied_quantised,
    "cpy_q_f32": copied_quantised,
}  # fmt: skip
