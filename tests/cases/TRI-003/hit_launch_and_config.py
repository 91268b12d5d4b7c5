import triton


def run(kernel, a, b, c):
    kernel[(1,)](a, b, c, BLOCK_M=256, BLOCK_N=256, BLOCK_K=64, num_stages=4)


ONLY = [triton.Config({"BLOCK_M": 256, "BLOCK_N": 128, "BLOCK_K": 128}, num_warps=8, num_stages=3)]
# output
5 crash: kernel[(1,)](a, b, c, BLOCK_M=256, BLOCK_N=256, BLOCK_K=64, num_stages=4)
8 crash: triton.Config({"BLOCK_M": 256, "BLOCK_N": 128, "BLOCK_K": 128}, num_warps=8, num_stages=3)
