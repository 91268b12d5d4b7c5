import triton
import triton.language as tl


@triton.jit
def k(a, IS_HIP: tl.constexpr):
    if IS_HIP:
        x = tl.load(a)
    else:
        x = tl.load(a, eviction_policy="evict_first")
    tl.store(a, x)
# output
7 works-as-is: IS_HIP
