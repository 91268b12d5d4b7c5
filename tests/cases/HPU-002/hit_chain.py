import torch


def load(path):
    state = torch.load(path)
    return state["weight"].float().cuda()
# output
target: gaudi
6 crash: state["weight"].float().cuda()
