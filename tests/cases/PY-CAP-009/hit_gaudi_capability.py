import torch

BFLOAT16 = torch.cuda.get_device_capability()[0] >= 8
# output
target: gaudi
3 crash: torch.cuda.get_device_capability()[0] >= 8
