import cutlass
# output
path: project/nvidia/ops/gemm.py
1 info: import cutlass
