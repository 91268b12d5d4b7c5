import torch
from torch._inductor import config

from mylib import settings

settings.triton.cudagraphs = True
if not torch.version.hip:
    config.triton.cudagraphs = True
config.triton.cudagraphs = torch.version.hip is None
# output
torch: 2.10
rocm: 7.0
