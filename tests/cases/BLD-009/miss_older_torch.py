from torch.utils.cpp_extension import CUDAExtension

ext = CUDAExtension("x", ["x.cu"], extra_compile_args={"cxx": ["-O3", "-std=c++17"]})
# output
path: setup.py
torch: 2.9
