import torch
from torch.utils import cpp_extension

cpp_extension.COMMON_NVCC_FLAGS.remove("-D__CUDA_NO_HALF_OPERATORS__")
if torch.version.hip:
    cpp_extension.COMMON_HIPCC_FLAGS.remove("-D__HIP_NO_HALF_OPERATORS__=1")
# output
path: setup.py
