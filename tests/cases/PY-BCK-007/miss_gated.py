import torch

from mylib import preferred_linalg_library

preferred_linalg_library("cusolver")
if torch.version.cuda is not None:
    torch.backends.cuda.preferred_linalg_library("cusolver")
# output
torch: 2.0
