import ctypes
import torch

for name in ("libcudart.so", "libamdhip64.so"):
    try:
        lib = ctypes.CDLL(name)
        break
    except OSError:
        pass
lib = ctypes.CDLL("libamdhip64.so" if torch.version.hip else "libcudart.so")
# output
