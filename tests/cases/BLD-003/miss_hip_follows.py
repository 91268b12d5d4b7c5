import os

import torch
from torch.utils.cpp_extension import CUDA_HOME, CUDAExtension


def debug_flags():
    return ["--device-debug"]


def extension():
    args = {"cxx": ["-O3"]}
    if (torch.version.cuda is not None and CUDA_HOME is not None) or os.getenv("FORCE_CUDA") == "1":
        args["nvcc"] = ["--use_fast_math", "--threads", "4"] + debug_flags()
    elif torch.version.hip and torch.cuda.is_available():
        args["nvcc"] = ["-O3", "-ffast-math"]
    return CUDAExtension("ops", ["ops.cu"], extra_compile_args=args)
# output
path: setup.py
