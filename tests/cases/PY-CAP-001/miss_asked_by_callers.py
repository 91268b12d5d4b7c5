import torch


def has_capability(major, minor):
    return torch.version.hip is None and torch.cuda.get_device_capability() >= (major, minor)


def same(a, b):
    return a.shape >= (a, b)
# output
