import torch
from numba import njit

if torch.version.hip is None:
    from numba import cuda
# output
