"""References for ggml's products: matrices by vectors, of floats and of quantised weights, and attention."""

from __future__ import annotations

import struct

import numpy as np
from ggml_calls import RANDOM, Kernel, Outcome, divisor, uniform
from ggml_formats import FORMATS, quantised_q8_1
from kernel_checks import error

TYPE_NUMBERS = {
    2: "q4_0", 3: "q4_1", 6: "q5_0", 7: "q5_1", 8: "q8_0", 10: "q2_K", 11: "q3_K", 12: "q4_K", 13: "q5_K", 14: "q6_K", 20: "iq4_nl",
    23: "iq4_xs", 39: "mxfp4", 40: "nvfp4",
}  # fmt: skip
"""ggml_type, as files have it."""
NO_FUSION = bytes(48)
SWIGLU = 2


def number_of(argument: str) -> int:
    """``(ggml_type)12`` is 12."""
    return int(argument.rpartition(")")[2])


def true(argument: str) -> bool:
    return argument in ("true", "1")


def fused(bias: np.ndarray, gate: np.ndarray, gate_bias: np.ndarray) -> bytes:
    """What a kernel is told to do with a product: add to it, and multiply it by another one's silu."""
    return struct.pack("<5Qi4x", bias.ctypes.data, gate.ctypes.data, gate_bias.ctypes.data, 0, 0, SWIGLU)


def strides(columns: int, rows: int, count: int, per_x: int, per_y: int) -> tuple[object, ...]:
    """Sizes of one channel and one sample: of a row of x, a column of y and of the result."""
    one = divisor(1)
    return (columns, one, per_x, per_y, rows, one, per_x * rows, per_y * count, rows * count,
            one, per_x * rows, per_y * count, rows * count, 0)  # fmt: skip


def by_vector(kernel: Kernel) -> Outcome:
    """A matrix of floats by one or more vectors."""
    kind, sums = kernel.types()[:2]
    count, threads = int(kernel.arguments[2]), int(kernel.arguments[3])
    if true(kernel.arguments[4]) or true(kernel.arguments[5]):
        return None
    rows, columns = 6, 640
    x, wide = kind.rounded(uniform(rows, columns))
    y, out = uniform(count, columns).astype(np.float32), np.zeros((count, rows), np.float32)
    sizes = strides(columns // 2, rows, count, columns, columns // 2)
    kernel.run((rows, 1, 1), (threads,), x, y, 0, NO_FUSION, out, *sizes, lds=4 * kernel.wave)
    return error(out, y.astype(np.float64) @ wide.T), 2e-5 if sums.dtype == np.float32 else 2e-2


def by_vector_quantised(kernel: Kernel) -> Outcome:
    """Quantised weights by vectors in q8_1: the products are of integers, so only sums are rounded."""
    name, count = TYPE_NUMBERS.get(number_of(kernel.arguments[0])), int(kernel.arguments[1])
    if name is None or true(kernel.arguments[2]):
        return None
    form, rows, columns = FORMATS[name], 6, 1024
    per = columns // form.numbers
    weights = form.random(rows * per, RANDOM)
    vectors = quantised_q8_1(uniform(count, columns))
    out, waves = np.zeros((count, rows), np.float32), kernel.threads // kernel.wave
    together = (2 if count > 1 else 1) if kernel.wave == 64 else 1
    together = waves if count == 1 and true(kernel.arguments[3]) else together
    sizes = strides(columns, rows, count, per, columns // 32)
    blocks = (-(-rows // together), 1, 1)
    kernel.run(blocks, (kernel.wave, waves), weights, vectors, 0, NO_FUSION, out, *sizes)
    wide, by = form.values(weights).reshape(rows, columns), FORMATS["q8_1"].values(vectors).reshape(count, columns)
    # A block's minimum is taken times the sum of its numbers before they were quantised.
    return error(out, by @ wide.T), 2e-2


def attention(kernel: Kernel) -> Outcome:
    """Four heads over two of keys and values, with a mask, sinks and, where the kernel has it, a cap on the logits."""
    width, count = int(kernel.arguments[0]), int(kernel.arguments[1])
    if [number_of(one) for one in kernel.arguments[2:4]] != [1, 1]:
        return None
    capped = true(kernel.arguments[4])
    if capped and width == 64:
        return None  # compiled without a body
    heads, shared, length = 4, 2, 256
    q = uniform(heads, count, width, low=-1, high=1).astype(np.float32)
    k, v = (uniform(shared, length, width, low=-1, high=1).astype(np.float16) for _ in range(2))
    mask, sinks = uniform(count, length, low=-2, high=0).astype(np.float16), uniform(heads).astype(np.float32)
    out, meta = np.zeros((count, heads, width), np.float32), np.zeros((count, heads, 2), np.float32)
    scale, cap = width**-0.5, 3.0
    row, line = 4 * width, 2 * width
    of_q = (width, divisor(count), heads, 1, row, row * count, row * count * heads)
    of_kv = (width, length, shared, 1, *(line, line * length, line * length * shared) * 2)
    of_mask = (count, 1, 1, 2 * length, 2 * length * count, 2 * length * count)
    factors = (scale / cap if capped else scale, 0.0, 1.0, 1.0, heads, cap if capped else 0.0)
    kernel.run(
        (1, 1, heads), (32, kernel.threads // 32), q, k, v, mask, sinks, 0, out, meta, *factors, *of_q, *of_kv, *of_mask
    )
    keys, held = (np.repeat(one.astype(np.float64), heads // shared, 0) for one in (k, v))
    logits = scale * q.astype(np.float64) @ keys.swapaxes(1, 2)
    logits = (cap * np.tanh(logits / cap) if capped else logits) + mask
    sink = np.broadcast_to(sinks.astype(np.float64)[:, None, None], (heads, count, 1))
    top = np.maximum(logits.max(-1, keepdims=True), sink)
    power = np.exp(logits - top)
    expected = power @ held / (power.sum(-1, keepdims=True) + np.exp(sink - top))
    return error(out, expected.swapaxes(0, 1)), 1e-2


CHECKS = {"mul_mat_vec_f": by_vector, "mul_mat_vec_q": by_vector_quantised, "flash_attn_ext_vec": attention}
