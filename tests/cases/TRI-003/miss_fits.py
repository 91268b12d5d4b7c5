import triton


def run(kernel, a, b, c, m):
    kernel[(1,)](a, b, c, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, num_stages=2)
    kernel[(1,)](a, b, c, BLOCK_M=m, BLOCK_N=256, BLOCK_K=64, num_stages=4)
    kernel[(1,)](a, b, c, BLOCK_M=1024, BLOCK_N=1024)  # BLOCK_K: not a matmul
# output
