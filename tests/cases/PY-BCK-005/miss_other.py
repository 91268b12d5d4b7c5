import torch

from mylib.backends import cudnn

cudnn.allow_tf32 = True
HELP = "torch.backends.cudnn.allow_tf32 = True"
if torch.version.hip is None:
    torch.backends.cudnn.allow_tf32 = True
# output
