import torch


def run(x, y):
    if x.is_cuda and y.is_cuda:
        return fused(x)
    flag = y.weight.is_cuda
    return flag
# output
target: gaudi
5 perf: x.is_cuda
7 perf: y.weight.is_cuda
