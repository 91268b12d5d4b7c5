"""Triton kernels whose results NumPy knows."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(out, x, stride, n, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    inside = column < n
    value = tl.load(x + row * stride + column, mask=inside, other=-float("inf"))
    value = tl.exp(value - tl.max(value, 0))
    tl.store(out + row * stride + column, value / tl.sum(value, 0), mask=inside)


@triton.jit
def layer_norm(x, weight, bias, out, n, eps, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    inside = column < n
    value = tl.load(x + row * n + column, mask=inside, other=0.0)
    mean = tl.sum(value, 0) / n
    centred = tl.where(inside, value - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / n + eps)
    w, b = tl.load(weight + column, mask=inside), tl.load(bias + column, mask=inside)
    tl.store(out + row * n + column, centred * scale * w + b, mask=inside)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rows[:, None] * K + (k + depth)[None, :], mask=(k + depth)[None, :] < K, other=0.0)
        y = tl.load(b + (k + depth)[:, None] * N + columns[None, :], mask=(k + depth)[:, None] < K, other=0.0)
        total += tl.dot(x, y, input_precision=PRECISION)
    tl.store(c + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def attention(q, k, v, out, n, scale, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    rows, width = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, WIDTH)
    query = tl.load(q + rows[:, None] * WIDTH + width[None, :], mask=rows[:, None] < n, other=0.0)
    most = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    result = tl.zeros((BLOCK, WIDTH), tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        key = tl.load(k + at[None, :] * WIDTH + width[:, None], mask=at[None, :] < n, other=0.0)
        score = tl.dot(query, key) * scale
        score = tl.where((at[None, :] < n) & (at[None, :] <= rows[:, None]), score, -float("inf"))
        higher = tl.maximum(most, tl.max(score, 1))
        weight, shrink = tl.exp(score - higher[:, None]), tl.exp(most - higher)
        value = tl.load(v + at[:, None] * WIDTH + width[None, :], mask=at[:, None] < n, other=0.0)
        result = result * shrink[:, None] + tl.dot(weight.to(value.dtype), value)
        total, most = total * shrink + tl.sum(weight, 1), higher
    tl.store(out + rows[:, None] * WIDTH + width[None, :], result / total[:, None], mask=rows[:, None] < n)


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(x + at, mask=at < n, other=0), 1, mask=at < n)


@triton.jit
def running_sum(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0))
