import triton

from .device import is_cdna


@triton.jit
def kernel(x, y):
    pass


def launch(x, y):
    kernel[(1,)](x, y, num_warps=32 if not is_cdna() else 16)


def settings(n):
    if is_cdna():
        num_warps = 16
    else:
        num_warps = 32
    return n, num_warps
# output
