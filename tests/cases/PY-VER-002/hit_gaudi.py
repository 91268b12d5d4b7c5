import torch

ok = torch.version.cuda < "13.0"
# output
target: gaudi
3 crash: torch.version.cuda < "13.0"
