import torch

if torch.version.hip:
    torch.backends.cudnn.enabled = False
# output
4 info: torch.backends.cudnn.enabled = False
