from .triton_utils import tl, triton


def run(kernel, a, b, fast):
    kernel[(1,)](a, b, INPUT_PRECISION="tf32")
    precision = "tf32x3" if fast else "ieee"
    kernel[(1,)](a, b, DOT_PRECISION=precision)
# output
5 info: "tf32"
6 crash: "tf32x3"
