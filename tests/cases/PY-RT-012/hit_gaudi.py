import torch

version = torch.cuda.nccl.version()
# output
target: gaudi
3 crash: torch.cuda.nccl.version()
