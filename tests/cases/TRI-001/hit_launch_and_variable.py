import triton
import triton.language as tl


def calculate_settings(n):
    num_warps = 4
    if n >= 32768:
        num_warps = 32
    elif n >= 8192:
        num_warps = 16
    return triton.next_power_of_2(n), num_warps


def forward(x, kernel, wide):
    kernel[(x.shape[0],)](x, BLOCK=65536, num_warps=32)
    kernel[(x.shape[0],)](x, BLOCK=65536, num_warps=64 if wide else 8)
    options = {"num_warps": 32}
    kernel[(x.shape[0],)](x, **options)
# output
8 crash: 32
15 crash: 32
16 crash: 64
17 crash: 32
