import torch
from torch.cuda import nccl

print(torch.cuda.nccl.version())
nccl.all_reduce(tensors)
# output
4 works-as-is: torch.cuda.nccl.version()
5 works-as-is: nccl.all_reduce(tensors)
