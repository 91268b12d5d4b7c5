import os
from torch.utils.cpp_extension import CUDA_HOME

libs = os.path.join(CUDA_HOME, "lib64")
# output
target: gaudi
4 build-fail: os.path.join(CUDA_HOME, "lib64")
