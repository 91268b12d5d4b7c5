import torch
from torch.backends import cuda as backend

torch.backends.cuda.matmul.fp32_precision = "bfx9"
backend.matmul.fp32_precision = "bfx9"
# output
4 crash: torch.backends.cuda.matmul.fp32_precision = "bfx9"
5 crash: backend.matmul.fp32_precision = "bfx9"
