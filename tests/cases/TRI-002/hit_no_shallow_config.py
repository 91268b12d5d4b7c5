from triton import Config, autotune

CONFIGS = [
    Config({"BLOCK_M": 128, "BLOCK_N": 64}, num_warps=8, num_stages=3),
    Config({"BLOCK_M": 64, "BLOCK_N": 64}, num_warps=4, num_stages=5),
]
SWEEP = [Config({"BLOCK_M": 64}, num_warps=4, num_stages=s) for s in (3, 4)]
# output
4 perf: 3
7 perf: 3
