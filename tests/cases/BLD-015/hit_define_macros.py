from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

define_macros = [("WITH_CUDA", None)]
nvcc_flags = ["-DUSE_CUDA"]
setup(ext_modules=[CUDAExtension("x", ["x.cu"], define_macros=define_macros, extra_compile_args={"nvcc": nvcc_flags})])
# output
path: setup.py
4 info: ("WITH_CUDA", None)
5 build-fail: "-DUSE_CUDA"
