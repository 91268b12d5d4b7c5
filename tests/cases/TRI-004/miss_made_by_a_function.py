import triton
import triton.language as tl


def _assembly(count):
    return "v_exp_f32 $0, $1" * count


text: tl.constexpr = tl.constexpr(_assembly(2))


@triton.jit
def exponential(x):
    return tl.inline_asm_elementwise(asm=text, constraints="=v,v", pack=1, args=[x], dtype=tl.float32, is_pure=True)
# output
