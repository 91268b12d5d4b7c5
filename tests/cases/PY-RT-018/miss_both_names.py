import ctypes

import torch

lib = ctypes.CDLL("libamdhip64.so" if torch.version.hip else "libcudart.so")
memcpy = lib.hipMemcpy if torch.version.hip else lib.cudaMemcpy
lib.cuGetErrorString = lib.hipGetErrorString
lib.cuGetErrorString(0, out)
torch.cuda.cudart().cudaHostRegister(ptr, size, 0)
# output
