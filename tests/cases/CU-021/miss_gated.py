import torch

if torch.version.hip is None:
    BARRIER = "llvm.nvvm.barrier0"
    TRIPLE = "nvptx64-nvidia-cuda"
else:
    BARRIER = TRIPLE = None
# output
