import triton

CONFIGS = [
    triton.Config({"BLOCK_M": 128, "waves_per_eu": 2}, num_warps=4),
    triton.Config({"BLOCK_M": 64, "matrix_instr_nonkdim": 16, "kpack": 2}, num_warps=8),
]
# output
4 info: 2
5 info: 16
5 info: 2
