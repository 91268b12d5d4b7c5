from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, CppExtension, CUDAExtension

if CUDA_HOME is not None:
    extension = CUDAExtension("mine._C", ["mine/ops.cpp", "mine/ops.cu"])
else:
    extension = CppExtension("mine._C", ["mine/ops.cpp"])
setup(name="mine", ext_modules=[extension])
# output
path: setup.py
target: gaudi
4 crash: CUDA_HOME is not None
