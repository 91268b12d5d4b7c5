import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension

from versions import toolkit_version

version = None
if CUDA_HOME is not None:
    version = toolkit_version(CUDA_HOME)
    minor = version[1]
if torch.version.hip is None:
    print(minor)
if CUDA_HOME is None:
    other = 1
else:
    other = 2
print(version, other)
setup(name="ops", ext_modules=[CUDAExtension("ops", ["ops.cu"])])
# output
path: setup.py
