import torch

rank = torch.matrix_rank(torch.eye(3))
# output
3 crash: torch.matrix_rank
