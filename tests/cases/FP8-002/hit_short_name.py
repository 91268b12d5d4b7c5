import torch


def load(w, scale):
    w = w.view(torch.float8_e4m3fnuz)
    return w.float() / scale
# output
5 wrong-result: w.view(torch.float8_e4m3fnuz)
