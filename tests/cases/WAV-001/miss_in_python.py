import cupy
import torch

"""__global__ void f() { __shfl_down_sync(0xffffffff, 1, 16); }"""
TEXT = "__shfl_down_sync(0xffffffff, value, offset) inside a __global__ function"
if torch.version.hip is None:
    SUM = r"""
    __global__ void total(float* out) { out[0] += __shfl_down_sync(0xffffffff, out[1], 16); }
    """
DOUBLE = r"""
__global__ void twice(float* out) { out[threadIdx.x] *= 2; }
"""
# output
