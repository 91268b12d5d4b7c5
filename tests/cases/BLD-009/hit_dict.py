from torch.utils.cpp_extension import CUDAExtension

ext = CUDAExtension("x", ["x.cu"], extra_compile_args={"cxx": ["-O3", "-std=c++17"], "nvcc": ["--std=c++14"]})
# output
path: setup.py
torch: 2.13
3 build-fail: "-std=c++17"
3 build-fail: "--std=c++14"
