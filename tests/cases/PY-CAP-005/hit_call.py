import torch

flags = torch.cuda.get_gencode_flags().split()
# output
3 crash: torch.cuda.get_gencode_flags()
