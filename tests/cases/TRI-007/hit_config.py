import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"B": 64}, maxnreg=168), triton.Config({"B": 32}, 4, 3, 1, 80)], key=["n"])
@triton.jit
def k(a, n, B: tl.constexpr):
    tl.store(a, n)
# output
5 crash: 168
5 crash: 80
