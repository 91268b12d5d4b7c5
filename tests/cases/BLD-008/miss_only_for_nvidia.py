import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

nvidia_flags = ["-I/usr/local/cuda/include"]


def nvcc():
    return "/usr/local/cuda/bin/nvcc"


flags = ["-O3"]
if torch.version.hip is None:
    flags += nvidia_flags + ["-ccbin", nvcc()]
setup(name="x", ext_modules=[CUDAExtension("x", ["x.cu"], extra_compile_args=flags)])
# output
path: setup.py
