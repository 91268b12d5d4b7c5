from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

setup(name="ext", ext_modules=[CUDAExtension("ext", ["ext.cpp", "kernel.cu"])])
# output
path: setup.py
