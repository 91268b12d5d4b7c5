import torch


@torch.compile
def route(x):
    return x.topk(2)


@torch.compile(mode="reduce-overhead")
def scale(x):
    return x * 2


def sample(x):
    topk = 4
    return torch.topk(x, topk)


fast = torch.compile(sample, mode="default")
# output
torch: 2.13
