import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, MODE: tl.constexpr):
    c += tl.dot(a, b, input_precision=MODE)


def run(a, b, c):
    matmul[(1,)](a, b, c, MODE="tf32x3")
# output
11 crash: "tf32x3"
