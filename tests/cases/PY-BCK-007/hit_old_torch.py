import torch

torch.backends.cuda.preferred_linalg_library("cusolver")
torch.backends.cuda.preferred_linalg_library(backend="magma")
# output
torch: 2.0
3 crash: torch.backends.cuda.preferred_linalg_library("cusolver")
4 info: torch.backends.cuda.preferred_linalg_library(backend="magma")
