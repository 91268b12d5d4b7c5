from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

args = {"cxx": ["-DWITH_CUDA"], "nvcc": ["-O3", "-DWITH_CUDA", "-DCUDA_HAS_FP16=1"]}
args["nvcc"].append("-DMY_CUDA_OPS")
setup(ext_modules=[CUDAExtension("x", ["x.cu"], extra_compile_args=args)])
# output
path: setup.py
4 info: "-DWITH_CUDA"
4 build-fail: "-DCUDA_HAS_FP16=1"
5 build-fail: "-DMY_CUDA_OPS"
