import torch
from torch.cuda import something_new
from torch.cuda.memory import BetterPool

torch.cuda.brand_new_function()
torch.cuda.nvtx.colour("red")
torch.cuda.cudart().cudaFree(0)
something_new()
# output
2 info: from torch.cuda import something_new
3 info: from torch.cuda.memory import BetterPool
5 info: torch.cuda.brand_new_function
6 info: torch.cuda.nvtx.colour
7 info: torch.cuda.cudart().cudaFree
