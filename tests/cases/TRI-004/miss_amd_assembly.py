import triton
import triton.language as tl


@triton.jit
def exp2(x):
    return tl.inline_asm_elementwise("v_exp_f32 $0, $1", "=v,v", [x], dtype=tl.float32, is_pure=True, pack=1)
# output
