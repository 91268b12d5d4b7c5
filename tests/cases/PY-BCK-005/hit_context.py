import torch


def exact(model, x):
    with torch.backends.cudnn.flags(allow_tf32=False):
        return model(x)
# output
5 works-as-is: allow_tf32=False
