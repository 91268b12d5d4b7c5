import torch


@torch.compile(mode="reduce-overhead")
def route(x):
    return x.topk(2)
# output
torch: 2.12
