import torch
from torch.backends import cuda as backend

vendor = "nvidia" if torch.backends.cuda.is_built() else "cpu"
is_nvidia = backend.is_built()


def check():
    if backend.is_built():
        import pynvml

        pynvml.nvmlInit()
# output
4 wrong-result: torch.backends.cuda.is_built()
5 wrong-result: backend.is_built()
9 wrong-result: backend.is_built()
