import triton


def run(kernel, a, b, c):
    kernel[(1,)](a, b, c, BLOCK_M=256, BLOCK_N=128, BLOCK_K=64, num_stages=3)
# output
arch: gfx950
