import torch
from torch.cuda import nvtx

nvtx.range_push("a")
# output
