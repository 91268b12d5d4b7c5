import torch

free, total = torch.cuda.mem_get_info()
# output
target: gaudi
3 crash: torch.cuda.mem_get_info
