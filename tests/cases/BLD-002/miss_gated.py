import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

fallback = ["-gencode=arch=compute_80,code=sm_80"]


def gencodes():
    return ["-gencode", "arch=compute_90,code=sm_90"]


nvcc = ["-O3"]
if torch.version.hip is None:
    nvcc += gencodes()
    nvcc += fallback
else:
    nvcc += ["--offload-arch=gfx942"]
setup(ext_modules=[CUDAExtension("x", ["x.cu"], extra_compile_args={"nvcc": nvcc})])
# output
path: setup.py
