import torch._C
from torch import _C as torch_c
from torchvision import _C

_C = None
name = "mypackage._C"
# output
