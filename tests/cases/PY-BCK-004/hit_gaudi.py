import torch

torch.backends.cudnn.benchmark = True
# output
target: gaudi
3 works-as-is: torch.backends.cudnn.benchmark = True
