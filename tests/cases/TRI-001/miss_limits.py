import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    pass


def warps_for(n):
    return min(max(triton.next_power_of_2(n // 256), 4), 16)


def settings(n):
    return 65536, 8


def launch(x, n):
    kernel[(1,)](x, n, BLOCK=128, num_warps=warps_for(n))
    kernel[(1,)](x, n, BLOCK=128, num_warps=max(n // 32, 4))
    block, warps = settings(n)
    kernel[(1,)](x, n, BLOCK=block, num_warps=warps)
# output
