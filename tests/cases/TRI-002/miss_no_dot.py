import triton
import triton.language as tl


@triton.jit
def add(a, b, c, BLOCK: tl.constexpr):
    tl.store(c, tl.load(a) + tl.load(b))


add[(1,)](1, 2, 3, BLOCK=64, num_stages=4)
# output
