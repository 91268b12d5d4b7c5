import triton
import triton.language as tl

kpack = 2  # waves_per_eu=2


@triton.jit
def k(a, kpack: tl.constexpr):
    tl.store(a, kpack)


def run(a):
    k[(1,)](a, kpack=kpack)
    search_space = {"waves_per_eu": [0, 1, 2]}
    return search_space
# output
