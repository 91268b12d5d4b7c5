import triton
import triton.language as tl

ASM = """
{
    .reg .b32 t;
    mov.b32 t, $1;
    cvt.rn.f16x2.f32 $0, t, $2;
}
"""


@triton.jit
def exp2(x):
    return tl.inline_asm_elementwise("ex2.approx.ftz.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)


@triton.jit
def pack(x, y):
    return tl.inline_asm_elementwise(asm=ASM, constraints="=r,f,f", args=[x, y], dtype=tl.int32, is_pure=True, pack=1)
# output
15 crash: tl.inline_asm_elementwise("ex2.approx.ftz.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)
20 crash: tl.inline_asm_elementwise(asm=ASM, constraints="=r,f,f", args=[x, y], dtype=tl.int32, is_pure=True, pack=1)
