import torch
from mylib import backends

if torch.backends.cuda.is_built():
    torch.backends.cuda.matmul.allow_tf32 = True
is_nvidia = backends.cuda.is_built()
is_apple = torch.backends.mps.is_built()
# output
4 info: torch.backends.cuda.is_built()
