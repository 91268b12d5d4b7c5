import torch
from torch.backends import cudnn

torch.backends.cudnn.benchmark = True
cudnn.benchmark = True
with torch.backends.cudnn.flags(benchmark=True):
    pass
# output
4 info: torch.backends.cudnn.benchmark = True
5 info: cudnn.benchmark = True
6 info: benchmark=True
