from setuptools import setup
from torch.utils import cpp_extension as cpp

setup(ext_modules=[cpp.CUDAExtension(name="pkg._C", sources=["a.cu"])])
# output
path: setup.py
4 works-as-is: cpp.CUDAExtension
