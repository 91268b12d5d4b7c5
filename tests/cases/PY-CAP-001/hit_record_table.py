import torch

from .limits import LIMITS


def limits(device):
    sm = torch.cuda.get_device_capability(device)
    for limit in LIMITS:
        if limit.sm == sm:
            return limit
    return None
# output
9 perf: limit.sm == sm
