import torch

fused = torch.backends.cudnn.version() >= 8900
# output
target: gaudi
3 crash: torch.backends.cudnn.version() >= 8900
