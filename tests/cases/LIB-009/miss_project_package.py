from .cuda import cudart
from cuda import kernels
from cuda.ops import add
from torch import cuda
import torch.cuda.nvtx as nvtx
from myproject.cuda.bindings import load

cuda.synchronize()  # from cuda import cudart
# output
