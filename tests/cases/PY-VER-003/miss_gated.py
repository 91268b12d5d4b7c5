import torch

fused = torch.version.hip is None and torch.backends.cudnn.version() >= 8900
if torch.version.cuda:
    new = torch.backends.cudnn.version() > 9000
# output
