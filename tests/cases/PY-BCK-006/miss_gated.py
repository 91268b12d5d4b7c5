import torch

if torch.version.hip is None:
    torch.backends.cuda.cufft_plan_cache.max_size = 16


def clear():
    if torch.version.hip:
        return
    torch.backends.cuda.cufft_plan_cache.clear()
# output
