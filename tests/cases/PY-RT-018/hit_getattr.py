from ctypes import CDLL

import torch

runtime = CDLL("libamdhip64.so" if torch.version.hip else "libcudart.so")
sync = getattr(runtime, "cudaDeviceSynchronize")
# output
6 crash: getattr(runtime, "cudaDeviceSynchronize")
