import os
import torch
from torch.utils.cpp_extension import CUDA_HOME, IS_HIP_EXTENSION, ROCM_HOME

home = CUDA_HOME if torch.version.hip is None else ROCM_HOME
if CUDA_HOME is not None:
    include = os.path.join(CUDA_HOME, "include")
if not IS_HIP_EXTENSION:
    lib = os.path.join(CUDA_HOME, "lib64")


def targets():
    if CUDA_HOME is None:
        return []
    return os.listdir(os.path.join(CUDA_HOME, "targets"))
# output
