import triton


def run(kernel, a_fp8, b, c):
    """Operands are float8."""
    kernel[(1,)](a_fp8, b, c, BLOCK_M=256, BLOCK_N=128, BLOCK_K=64, num_stages=3)
# output
