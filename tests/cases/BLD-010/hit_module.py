import torch.utils.cpp_extension as ext

ext.COMMON_NVCC_FLAGS.clear()
ext.COMMON_NVCC_FLAGS = ["-O3"]
# output
path: setup.py
3 build-fail: ext.COMMON_NVCC_FLAGS.clear()
4 build-fail: ext.COMMON_NVCC_FLAGS = ["-O3"]
