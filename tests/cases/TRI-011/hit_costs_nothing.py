import torch
import triton
import triton.language as tl

TYPES = {torch.float8_e4m3fn: tl.float8e4nv}


@triton.jit
def scaled(x, y, DTYPE: tl.constexpr):
    ones = tl.full((16,), 1.0, dtype=tl.float8e4nv)
    if DTYPE == tl.float8e4nv:
        tl.store(y, tl.cast(tl.load(x), tl.float8e4nv))
# output
5 info: tl.float8e4nv
10 info: tl.float8e4nv
11 info: tl.float8e4nv
12 perf: tl.float8e4nv
