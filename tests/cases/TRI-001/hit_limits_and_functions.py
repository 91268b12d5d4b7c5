import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    pass


def warps_for(n):
    return max(min(triton.next_power_of_2(n // 256), 32), 4)


def settings(n):
    warps = 4
    if n >= 32768:
        warps = 32
    return triton.next_power_of_2(n), warps


def launch(x, n):
    kernel[(1,)](x, n, BLOCK=128, num_warps=warps_for(n))
    block, warps = settings(n)
    kernel[(1,)](x, n, BLOCK=block, num_warps=warps)
# output
11 crash: 32
17 crash: 32
