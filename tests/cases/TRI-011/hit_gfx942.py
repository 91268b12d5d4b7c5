from .triton_utils import tl, triton


@triton.jit
def pointer(p):
    return p.to(tl.pointer_type(tl.float8e4nv))
# output
arch: gfx942
6 info: tl.float8e4nv
