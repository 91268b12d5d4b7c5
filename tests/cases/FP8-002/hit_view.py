import torch


def load(weight, scale):
    weight = weight.view(torch.float8_e4m3fnuz)
    return weight, scale
# output
5 wrong-result: weight.view(torch.float8_e4m3fnuz)
