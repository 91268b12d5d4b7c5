import torch

torch.backends.cuda.cufft_plan_cache.max_size = 16
torch.backends.cuda.cufft_plan_cache[0].max_size = 32
torch.backends.cuda.cufft_plan_cache.clear()
# output
3 info: torch.backends.cuda.cufft_plan_cache.max_size = 16
4 info: torch.backends.cuda.cufft_plan_cache[0].max_size = 32
5 info: torch.backends.cuda.cufft_plan_cache.clear
