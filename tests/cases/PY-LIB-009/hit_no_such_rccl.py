import ctypes
import torch

if torch.version.cuda is not None:
    file = "libnccl.so.2"
elif torch.version.hip is not None:
    file = "librccl.so.2"
nccl = ctypes.CDLL(file)
# output
7 crash: "librccl.so.2"
