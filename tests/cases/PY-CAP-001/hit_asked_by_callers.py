import torch


def has_capability(major, minor):
    return torch.cuda.is_available() and torch.cuda.get_device_capability() >= (major, minor)
# output
5 perf: torch.cuda.get_device_capability() >= (major, minor)
