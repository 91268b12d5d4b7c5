import torch

torch.backends.cuda.preferred_linalg_library("default")
current = torch.backends.cuda.preferred_linalg_library()
# output
torch: 2.0
