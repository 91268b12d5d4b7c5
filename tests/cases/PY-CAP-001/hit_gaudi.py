import torch

has_fp8 = torch.cuda.get_device_capability() >= (8, 9)
# output
target: gaudi
3 crash: torch.cuda.get_device_capability() >= (8, 9)
