import torch


def capture(x):
    if x.is_cuda:
        return torch.cuda.CUDAGraph()
    return None
# output
target: gaudi
