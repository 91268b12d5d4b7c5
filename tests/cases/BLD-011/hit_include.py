import os
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

here = os.path.dirname(__file__)
ext = CUDAExtension("x", ["x.cu"], include_dirs=[os.path.join(here, "third_party", "cutlass", "include")])
setup(ext_modules=[ext])
# output
path: setup.py
6 build-fail: "cutlass"
