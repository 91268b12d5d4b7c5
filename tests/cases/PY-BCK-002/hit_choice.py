import torch

MODE = "bfx9"
FAST = bool(int("1"))
torch.backends.cuda.matmul.fp32_precision = "bfx9" if FAST else "ieee"
torch.backends.cuda.matmul.fp32_precision = MODE
# output
5 crash: "bfx9"
6 crash: torch.backends.cuda.matmul.fp32_precision = MODE
