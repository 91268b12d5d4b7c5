import torch

from mylib import cudnn

cudnn.benchmark = True
if torch.version.cuda:
    torch.backends.cudnn.benchmark = True
# output
