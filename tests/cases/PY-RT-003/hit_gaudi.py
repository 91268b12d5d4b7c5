import torch

load = torch.cuda.utilization()
# output
target: gaudi
3 crash: torch.cuda.utilization()
