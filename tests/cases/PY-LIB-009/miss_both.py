import ctypes
import torch

NAMES = {"cuda": "libnccl.so.2", "rocm": "librccl.so.1"}
nccl = ctypes.CDLL(NAMES["rocm" if torch.version.hip else "cuda"])
# output
