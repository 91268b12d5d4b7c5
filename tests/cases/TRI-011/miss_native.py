import triton.language as tl


def f(x):
    return x.to(tl.float8e4nv)
# output
arch: gfx950
