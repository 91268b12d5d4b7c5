import torch


def normalize(weight, scale):
    bits = weight.view(torch.int8)
    bits[bits == -128] = 0
    weight = bits.view(torch.float8_e4m3fnuz)
    return weight, scale * 2.0


def load(weight, scale):
    weight, scale = normalize_e4m3fn_to_e4m3fnuz(weight, scale)
    return weight.view(torch.float8_e4m3fnuz)
# output
