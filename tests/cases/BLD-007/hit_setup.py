import torch
from setuptools import setup
from torch.utils import cpp_extension

setup(ext_modules=[cpp_extension.CppExtension("x", ["x.cpp"])])
# output
path: setup.py
1 info: import torch
