import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
if torch.version.cuda or torch.version.hip:
    device = "cuda"
else:
    device = "cpu"
if torch.version.cuda:
    backend = "cutlass"
else:
    backend = "triton"
# output
