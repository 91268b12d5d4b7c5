import ctypes
import torch
from ctypes.util import find_library

"""libnccl.so.2 is loaded by torch."""
print("could not find libnccl.so.2, is it installed?")
if torch.version.cuda is not None:
    so_file = "libnccl.so.2"
cudart = ctypes.CDLL(find_library("cudart"))  # libnccl.so.2
# output
