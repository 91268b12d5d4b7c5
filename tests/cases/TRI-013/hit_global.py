import triton as tr
from triton import language as tl, jit
from .platform import is_rocm

USE_ROCM = tl.constexpr(is_rocm())


@tr.jit
def k(a):
    step = 2 if USE_ROCM else 4
    tl.store(a, step)
# output
10 works-as-is: USE_ROCM
