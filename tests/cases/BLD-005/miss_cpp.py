from torch.utils.cpp_extension import CppExtension

module = CppExtension("pkg._C", ["a.cpp"])  # CUDAExtension
# output
path: setup.py
