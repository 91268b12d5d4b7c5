import torch


def choose(fnuz):
    return torch.float8_e4m3fnuz if fnuz else torch.float8_e4m3fn


def other(x):
    return x.to(torch.float8_e4m3fn)
# output
9 info: torch.float8_e4m3fn
