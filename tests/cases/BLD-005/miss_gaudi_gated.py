import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension

if torch.cuda.is_available():
    extension = CUDAExtension("ops", ["ops.cpp", "ops_kernel.cu"])
else:
    extension = CppExtension("ops", ["ops.cpp"])
setup(name="ops", ext_modules=[extension], cmdclass={"build_ext": BuildExtension})
# output
target: gaudi
