import torch


def run(model, x, deterministic):
    with torch.backends.cudnn.flags(enabled=False, benchmark=False):
        y = model(x)
    torch.backends.cudnn.enabled = not deterministic
    return y
# output
5 info: enabled=False
7 info: torch.backends.cudnn.enabled = not deterministic
