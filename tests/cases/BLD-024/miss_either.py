import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, CppExtension, CUDAExtension

if CUDA_HOME is not None or torch.version.hip is not None:
    ext = CUDAExtension("ext", ["ext.cpp", "kernel.cu"])
else:
    ext = CppExtension("ext", ["ext.cpp"])
setup(name="ext", ext_modules=[ext])
# output
path: setup.py
