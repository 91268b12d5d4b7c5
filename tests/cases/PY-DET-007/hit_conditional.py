import torch

device = torch.device("hip" if torch.version.hip else "cuda")
kind = "rocm" if torch.version.hip else "cuda"
x = torch.zeros(3, device=kind)
# output
3 crash: "hip"
4 crash: "rocm"
