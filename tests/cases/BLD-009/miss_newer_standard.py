import torch
from torch.utils.cpp_extension import CUDAExtension

std = "-std=c++20" if torch.__version__ >= "2.13" else "-std=c++17"
ext = CUDAExtension("x", ["x.cu"], extra_compile_args={"cxx": ["-std=c++20"]})
print("-std=c++17")
# output
path: setup.py
torch: 2.13
