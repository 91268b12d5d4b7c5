import torch


def limit(is_fnuz):
    fp8_max = 240.0 if is_fnuz else 448.0
    return fp8_max


def scale(x, dtype):
    return x.abs().amax() / torch.finfo(dtype).max  # fp8: 448.0
# output
