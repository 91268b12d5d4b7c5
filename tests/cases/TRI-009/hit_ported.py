import triton

CONFIGS = [
    triton.Config({"BLOCK_M": 128, "waves_per_eu": 2}, num_warps=4),
    triton.Config({"BLOCK_M": 64, "matrix_instr_nonkdim": 16, "kpack": 2}, num_warps=8),
]
# output
ported: yes
4 crash: 2
5 crash: 16
5 crash: 2
