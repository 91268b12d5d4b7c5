import triton
import triton.language as tl


@triton.jit
def k(a, b, c, P: tl.constexpr):
    x = tl.dot(a, b, allow_tf32=True)
    x = tl.dot(a, b, x, input_precision="ieee")  # tf32
    x = tl.dot(a, b, x, input_precision=P)
    tl.store(c, x)
# output
