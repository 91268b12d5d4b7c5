import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

extensions = [CUDAExtension("ops", ["ops.cu"])]
if torch.version.hip is None:
    extensions.append(CUDAExtension("hopper_ops", ["hopper_ops.cu"]))
setup(name="ext", ext_modules=extensions, cmdclass={"build_ext": BuildExtension})
# output
path: setup.py
