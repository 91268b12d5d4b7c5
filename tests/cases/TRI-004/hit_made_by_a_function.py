import triton
import triton.language as tl


def _assembly(count):
    template = """
        .reg .pred p;
        setp.gt.f32  p, ${in}, 20.;
        @p  mov.f32  ${out}, ${in};
    """
    return "\n".join(template for _ in range(count))


text: tl.constexpr = tl.constexpr(_assembly(2))


@triton.jit
def softplus(x):
    return tl.inline_asm_elementwise(asm=text, constraints="=r,r", pack=2, args=[x], dtype=tl.float32, is_pure=True)
# output
19 crash: tl.inline_asm_elementwise(asm=text, constraints="=r,r", pack=2, args=[x], dtype=tl.float32, is_pure=True)
