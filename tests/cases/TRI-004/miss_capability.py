import triton
import triton.language as tl
from kernels.target_info import cuda_capability_geq


@triton.jit
def smaller(a, b):
    tl.static_assert(cuda_capability_geq(8, 6), "needs 8.6")
    return tl.inline_asm_elementwise("min.NaN.f32 $0, $1, $2;", "=f,f,f", [a, b], dtype=tl.float32, is_pure=True, pack=1)


@triton.jit
def larger(a, b):
    if cuda_capability_geq(8, 6):
        c = tl.inline_asm_elementwise("max.NaN.f32 $0, $1, $2;", "=f,f,f", [a, b], dtype=tl.float32, is_pure=True, pack=1)
    else:
        c = tl.maximum(a, b)
    return c
# output
