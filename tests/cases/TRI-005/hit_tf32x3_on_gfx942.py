import triton.language as tl


def k(a, b):
    x = tl.dot(a, b, input_precision="tf32")
    return tl.dot(a, b, x, input_precision="tf32x3")
# output
arch: gfx942
6 crash: "tf32x3"
