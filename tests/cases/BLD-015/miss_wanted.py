import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

nvcc = ["-U__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF2_OPERATORS__", "-DNDEBUG", "-DUSE_ROCM"]
cxx = ["-DWITH_CUDA"]
if torch.version.hip is None:
    nvcc += ["-DUSE_CUDA"]
setup(ext_modules=[CUDAExtension("x", ["x.cu"], extra_compile_args={"cxx": cxx, "nvcc": nvcc})])
# output
path: setup.py
