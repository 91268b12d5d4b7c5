import torch

torch.cuda.patched = lambda: 0
available = hasattr(torch.cuda, "tomorrow")
mine = getattr(torch.cuda, name)
from numba import cuda

cuda.brand_new_function()
# output
