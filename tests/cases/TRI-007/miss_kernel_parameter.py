import triton
import triton.language as tl


@triton.jit
def k(a, launch_pdl: tl.constexpr):
    tl.store(a, launch_pdl)


def run(a):
    k[(1,)](a, launch_pdl=False)
    start(a, maxnreg=128)  # maxnreg
    return triton.Config({"B": 64}, maxnreg=None)
# output
