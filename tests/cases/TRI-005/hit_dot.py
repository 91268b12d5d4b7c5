import triton
from triton import language as tl

PRECISION = tl.constexpr("tf32x3")


@triton.jit
def k(a, b, c, P: tl.constexpr = "tf32"):
    x = tl.dot(a, b, input_precision="tf32")
    x = tl.dot(a, b, x, "tf32x3")
    x = tl.dot(a, b, acc=x, input_precision=PRECISION)
    x = tl.dot(a, b, acc=x, input_precision=P)
    tl.store(c, x)
# output
4 crash: "tf32x3"
8 info: "tf32"
9 info: "tf32"
10 crash: "tf32x3"
