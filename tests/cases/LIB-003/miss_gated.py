import torch


def array_module(t):
    if torch.version.hip is not None:
        return None
    import cupy

    return cupy
# output
