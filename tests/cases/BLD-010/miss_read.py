from torch.utils.cpp_extension import COMMON_NVCC_FLAGS

COMMON = ["a"]
COMMON.remove("a")
flags = ["-O3"] + COMMON_NVCC_FLAGS
print(COMMON_NVCC_FLAGS.index("-x"))
# output
path: setup.py
