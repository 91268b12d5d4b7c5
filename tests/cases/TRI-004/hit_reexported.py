from myproject.triton_utils import tl, triton


@triton.jit
def mask(x):
    return tl.inline_asm_elementwise("lop3.b32 $0, $1, $1, 0, 0xea;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
# output
6 crash: tl.inline_asm_elementwise("lop3.b32 $0, $1, $1, 0, 0xea;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
