import os
import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

is_hip = torch.version.hip is not None
libraries = ["hipblas"] if is_hip else ["cublas"]
windows = os.name == "nt"
setup(ext_modules=[CUDAExtension("x", ["x.cu"], libraries=["cublas"] if windows else [])])
# output
path: setup.py
