import os

CUDA_HOME = os.environ.get("CUDA_HOME", "")
include = os.path.join(CUDA_HOME, "include")  # torch.utils.cpp_extension.CUDA_HOME
print("torch.utils.cpp_extension.CUDA_HOME")
# output
