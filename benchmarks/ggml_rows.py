"""References for ggml's kernels over single numbers and rows of them: unary, gated, broadcast, norms, softmax, rope, sort."""

from __future__ import annotations

import struct

import numpy as np
from ggml_calls import Kernel, Outcome, divisor, uniform
from kernel_checks import F32, FUNCTIONS, POSITIVE, error, sigmoid

N = 700
ROWS, EPS = 5, 1e-5


def unary(kernel: Kernel) -> Outcome:
    name = kernel.arguments[0].strip("&()").removeprefix("op_")
    (kind,) = kernel.types()
    x, wide = kind.rounded(uniform(N, low=0.1 if name in POSITIVE else -3))
    out = np.zeros_like(x)
    kernel.run((3,), (256,), x, out, N)
    return error(kind.read(out), FUNCTIONS[name](wide)), kind.bound


def gated(kernel: Kernel) -> Outcome:
    """Rows of gate and value side by side."""
    name = kernel.arguments[0].strip("&()").removeprefix("op_")
    (kind,) = kernel.types()
    both, wide = kind.rounded(uniform(ROWS, 2 * N))
    out = np.zeros((ROWS, N), both.dtype)
    kernel.run((ROWS * N // 256 + 1,), (256,), both, both[:, N:], out, ROWS * N, N, 2 * N, 2 * N)
    return error(kind.read(out), FUNCTIONS[name](wide[:, :N]) * wide[:, N:]), kind.bound


def swiglu_oai(kernel: Kernel) -> Outcome:
    x, g = uniform(ROWS, N).astype(np.float32), uniform(ROWS, N).astype(np.float32)
    out, alpha, limit = np.zeros_like(x), 1.702, 2.0
    kernel.run((ROWS * N // 256 + 1,), (256,), x, g, out, ROWS * N, N, N, N, alpha, limit)
    low = np.minimum(x, limit).astype(np.float64)
    return error(out, low * sigmoid(alpha * low) * (1 + np.clip(g, -limit, limit))), F32.bound


def xielu(kernel: Kernel) -> Outcome:
    (kind,) = kernel.types()
    x, wide = kind.rounded(uniform(N))
    out, negative, positive, beta, eps = np.zeros_like(x), 0.8, 0.7, 0.5, -1e-6
    kernel.run((3,), (256,), x, out, N, negative, positive, beta, eps)
    below = (np.expm1(np.minimum(wide, eps)) - wide) * negative + beta * wide
    return error(kind.read(out), np.where(wide > 0, positive * wide * wide + beta * wide, below)), kind.bound


def silu_back(kernel: Kernel) -> Outcome:
    (kind,) = kernel.types()
    (gradient, g), (x, wide) = kind.rounded(uniform(N)), kind.rounded(uniform(N))
    out, s = np.zeros_like(x), sigmoid(wide)
    kernel.run((3,), (256,), gradient, x, out, N)
    return error(kind.read(out), g * s * (1 + wide * (1 - s))), kind.bound


def leaky_relu(kernel: Kernel) -> Outcome:
    (kind,) = kernel.types()
    x, wide = kind.rounded(uniform(N))
    out = np.zeros_like(x)
    kernel.run((3,), (256,), x, out, N, 0.125)
    return error(kind.read(out), np.where(wide > 0, wide, 0.125 * wide)), kind.bound


def scale(kernel: Kernel) -> Outcome:
    x, out = uniform(N).astype(np.float32), np.zeros(N, np.float32)
    kernel.run((2,), (256,), x, out, 1.5, 0.25, N)
    return error(out, 1.5 * x.astype(np.float64) + 0.25), F32.bound


BROADCAST = {
    "op_add": np.add, "op_sub": np.subtract, "op_mul": np.multiply, "op_div": np.divide, "op_repeat": lambda a, b: a * 0 + b
}  # fmt: skip


def broadcast(kernel: Kernel) -> Outcome:
    """A tensor of 2 x 3 x 5 x 40 with one that is broadcast over two of its axes; several for the fused kernel."""
    function = BROADCAST[kernel.arguments[0].strip("&()")]
    first, second, result = kernel.types()
    more = sum("*" in one for one in kernel.arguments)
    (a, wide), others = first.rounded(uniform(2, 3, 5, 40)), []
    for _ in range(max(more, 1)):
        held, value = second.rounded(uniform(2, 1, 5, 1, low=0.5))
        others.append(held)
        wide = function(wide, value)
    out = np.zeros((2, 3, 5, 40), result.dtype)
    # ggml's axes begin with the fastest.
    strides, narrow, axes = (40, 200, 600), (0, 1, 5, 5), [divisor(n) for n in (1, 5, 1, 2)]
    given = [*strides, 1, *strides, *narrow]
    if kernel.base == "k_bin_bcast":
        kernel.run((1, 2, 6), (20, 3, 1), a, others[0], out, 40, 5, 3, divisor(2), *axes, *given, *others[: more or 0])
    else:
        sizes = (divisor(40), divisor(5), divisor(3), 2, divisor(600), divisor(200))
        kernel.run((10,), (128,), a, others[0], out, *sizes, *axes, *given, *others[: more or 0])
    return error(result.read(out), wide), max(one.bound for one in (first, second, result))


def normalised(x: np.ndarray, middle: bool, eps: float = EPS) -> np.ndarray:
    wide = x.astype(np.float64)
    wide = wide - wide.mean(-1, keepdims=True) if middle else wide
    return wide / np.sqrt((wide * wide).mean(-1, keepdims=True) + eps)


def norm(kernel: Kernel) -> Outcome:
    size = int(kernel.arguments[0])
    columns = 1500 if size == 1024 else 200
    x = uniform(2, 3, ROWS, columns).astype(np.float32)
    out = np.zeros_like(x)
    kernel.run((ROWS, 3, 2), (size,), x, out, columns, columns, columns * ROWS, columns * ROWS * 3, EPS, lds=256)
    if kernel.base == "l2_norm_f32":
        wide = x.astype(np.float64)
        return error(out, wide / np.sqrt((wide * wide).sum(-1, keepdims=True))), 1e-5
    return error(out, normalised(x, True)), 1e-5


def group_norm(kernel: Kernel) -> Outcome:
    size = int(kernel.arguments[0])
    columns = 1500 if size == 1024 else 200
    x = uniform(ROWS, columns).astype(np.float32)
    out = np.zeros_like(x)
    kernel.run((ROWS,), (size,), x, out, columns, x.size, EPS, lds=256)
    return error(out, normalised(x, True)), 1e-5


def rms_norm(kernel: Kernel) -> Outcome:
    size, multiplied, added = int(kernel.arguments[0]), *(one in ("true", "1") for one in kernel.arguments[1:3])
    columns = 1500 if size == 1024 else 200
    x, gain, bias = (uniform(*shape, columns).astype(np.float32) for shape in ((2, 3, ROWS), (), (3, ROWS)))
    out, expected = np.zeros_like(x), normalised(x, False)
    one = divisor(1)
    more: list[object] = (
        [gain, 0, 0, 0, divisor(columns), one, one, one] if multiplied else [0, 0, 0, 0, *[bytes(12)] * 4]
    )
    more += (
        [bias, columns, columns * ROWS, 0, divisor(columns), divisor(ROWS), divisor(3), one]
        if added
        else [0, 0, 0, 0, *[bytes(12)] * 4]
    )
    kernel.run((ROWS, 3, 2), (size,), x, out, columns, columns, columns * ROWS, columns * ROWS * 3, EPS, *more, lds=128)
    expected = expected * (gain if multiplied else 1) + (bias if added else 0)
    return error(out, expected), 1e-5


def rms_norm_back(kernel: Kernel) -> Outcome:
    size = int(kernel.arguments[0])
    columns = 1500 if size == 1024 else 200
    gradient, x = uniform(ROWS, columns).astype(np.float32), uniform(ROWS, columns).astype(np.float32)
    out = np.zeros_like(x)
    kernel.run((ROWS,), (size,), gradient, x, out, columns, EPS)
    wide, g = x.astype(np.float64), gradient.astype(np.float64)
    square = (wide * wide).mean(-1, keepdims=True) + EPS
    return error(out, (g - wide * (g * wide).mean(-1, keepdims=True) / square) / np.sqrt(square)), 1e-5


def reduced(kernel: Kernel) -> Outcome:
    x, out = uniform(ROWS, 1300).astype(np.float32), np.zeros(ROWS, np.float32)
    kernel.run((ROWS,), (512,), x, out, 1300)
    wide = x.astype(np.float64)
    return error(out, wide.mean(1) if kernel.arguments[0] in ("true", "1") else wide.sum(1)), 1e-5


def soft_max(kernel: Kernel) -> Outcome:
    """With a mask, sinks and ALiBi's slopes, over 2 sequences of 3 heads."""
    shared, fixed, threads = kernel.arguments[0] in ("true", "1"), int(kernel.arguments[1]), int(kernel.arguments[2])
    (kind,) = kernel.types()
    columns, heads, rows = fixed or 333, 3, 4
    x, sinks = uniform(2, heads, rows, columns).astype(np.float32), uniform(heads).astype(np.float32)
    mask, added = kind.rounded(uniform(2, 1, rows, columns))
    out, factor, bias = np.zeros_like(x), 0.7, 8.0
    m0, m1 = 2.0 ** (-bias / 2), 2.0 ** (-bias / 4)  # two heads are the power of two below three
    row = columns * mask.itemsize
    sizes = (columns, x.size // columns, rows, columns, rows, heads, 2, row, row * rows, row * rows, 1, 2)
    given = struct.pack("<qI4x12q4f", heads, 2, *sizes, factor, bias, m0, m1)
    kernel.run((rows, heads, 2), (threads or 64,), x, mask, sinks, out, given, lds=(columns * shared + 32) * 4)
    slope = np.array([m0, m0**2, m1]).reshape(heads, 1, 1)
    logits = x.astype(np.float64) * factor + slope * added
    top = np.maximum(logits.max(-1, keepdims=True), sinks.reshape(heads, 1, 1))
    power = np.exp(logits - top)
    expected = power / (power.sum(-1, keepdims=True) + np.exp(sinks.reshape(heads, 1, 1) - top))
    return error(out, expected), 2e-5


def soft_max_back(kernel: Kernel) -> Outcome:
    gradient, y = uniform(ROWS, 300).astype(np.float32), uniform(ROWS, 300, low=0).astype(np.float32)
    out = np.zeros_like(y)
    kernel.run((ROWS,), (32,), gradient, y, out, 300, 0.5)
    g, wide = gradient.astype(np.float64), y.astype(np.float64)
    return error(out, 0.5 * (g - (g * wide).sum(1, keepdims=True)) * wide), 2e-5


def soft_max_columns(kernel: Kernel) -> Outcome:
    columns, blocks = 9000, 6
    x = uniform(2, columns).astype(np.float32)
    out, tops, sums = np.zeros_like(x), np.zeros(blocks, np.float32), np.zeros(blocks, np.float32)
    given = struct.pack("<qI4x12q4f", 1, 1, columns, 2, 1, columns, 2, 1, 1, 0, 0, 0, 1, 1, 1.0, 0.0, 1.0, 1.0)
    kernel.run((blocks,), (256,), x, out, tops, sums, given, cooperative=True)
    power = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return error(out, power / power.sum(1, keepdims=True)), 2e-5


def rope(kernel: Kernel) -> Outcome:
    """3 positions of 2 heads, of whose 96 numbers the first 64 turn: neighbours, or those half the width apart."""
    forward, factors = (one in ("true", "1") for one in kernel.arguments[:2])
    kinds = kernel.types()
    heads, positions, width, turned, base = 2, 3, 96, 64, 10000.0
    x, wide = kinds[0].rounded(uniform(positions, heads, width))
    out = np.zeros(x.shape, kinds[-1].dtype)
    places = np.array([[0, 7, 19], [3, 1, 4], [2, 5, 9], [8, 6, 0]], np.int32)
    stretch = uniform(turned // 2, low=0.5, high=2).astype(np.float32)
    step, sections = base ** (-2.0 / turned), (8, 8, 12, 4)
    given = [x, out, width, heads, positions, width, width * heads, x.size, width, width * heads, x.size, turned]
    given += [] if kernel.base == "rope_vision" else [0]
    given += [places, 1.0, 0.0, 1.0, bytes(8), step, stretch if factors else 0]
    of_pair = np.zeros(turned // 2, int)  # which of the four positions a pair turns by
    if kernel.base == "rope_multi":
        given += [struct.pack("<4i", *sections), 0, 0]
        of_pair = np.repeat(np.arange(4), sections)
    elif kernel.base in ("rope_norm", "rope_neox"):
        given += [0, 0, 0]
    else:
        return None
    kernel.run((heads * positions, 1), (1, 256), *given)
    angle = places[of_pair].T * step ** np.arange(turned // 2) / (stretch if factors else 1)
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None] * (1 if forward else -1)
    first = np.arange(turned // 2) * (2 if kernel.base == "rope_norm" else 1)
    second = first + (1 if kernel.base == "rope_norm" else turned // 2)
    expected = wide.copy()
    expected[..., first] = wide[..., first] * cos - wide[..., second] * sin
    expected[..., second] = wide[..., first] * sin + wide[..., second] * cos
    return error(kinds[-1].read(out), expected), max(*(kind.bound for kind in kinds), 2e-5)


def argsort(kernel: Kernel) -> Outcome:
    columns, padded = 300, 512
    x, out = uniform(ROWS, columns).astype(np.float32), np.zeros((ROWS, columns), np.int32)
    kernel.run((ROWS,), (padded,), x, out, columns, padded, lds=padded * 4)
    rising = np.argsort(x, 1)
    up = kernel.arguments[0].endswith(("ASC", "0"))
    return float((out != (rising if up else rising[:, ::-1])).sum()), 0.0


CHECKS = {
    "unary_op_kernel": unary, "unary_gated_op_kernel": gated, "swiglu_oai_kernel": swiglu_oai, "xielu_kernel": xielu,
    "silu_back_kernel": silu_back, "leaky_relu_kernel": leaky_relu, "scale_f32": scale, "k_bin_bcast": broadcast,
    "k_bin_bcast_unravel": broadcast, "norm_f32": norm, "l2_norm_f32": norm, "group_norm_f32": group_norm, "rms_norm_f32": rms_norm,
    "rms_norm_back_f32": rms_norm_back, "reduce_rows_f32": reduced, "soft_max_f32": soft_max, "soft_max_back_f32": soft_max_back,
    "soft_max_f32_parallelize_cols": soft_max_columns, "rope_norm": rope, "rope_neox": rope, "rope_multi": rope, "rope_vision": rope,
    "k_argsort_f32_i32": argsort,
}  # fmt: skip
