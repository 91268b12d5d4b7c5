import triton as tr

CONFIGS = [
    tr.Config(dict(BLOCK_SIZE_M=128, BLOCK_SIZE_N=256, BLOCK_SIZE_K=64), num_stages=4, num_warps=8),
    tr.Config(dict(BLOCK_SIZE_M=64, BLOCK_SIZE_N=64, BLOCK_SIZE_K=32), num_stages=2, num_warps=4),
]
# output
4 info: tr.Config(dict(BLOCK_SIZE_M=128, BLOCK_SIZE_N=256, BLOCK_SIZE_K=64), num_stages=4, num_warps=8)
