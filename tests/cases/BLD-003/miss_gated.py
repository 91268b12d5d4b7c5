import torch
from torch.utils import cpp_extension

nvcc_flags = ["-O3", "-std=c++20", "-U__CUDA_NO_HALF_OPERATORS__"]
is_rocm = torch.version.hip is not None
if is_rocm:
    nvcc_flags += ["-ffast-math", "-fgpu-rdc"]
else:
    nvcc_flags += ["--use_fast_math", "-rdc=true"]
nvcc_flags += [] if is_rocm else ["--expt-relaxed-constexpr"]
ext = cpp_extension.CUDAExtension("e", ["e.cu"], extra_compile_args={"nvcc": nvcc_flags})
# output
path: setup.py
