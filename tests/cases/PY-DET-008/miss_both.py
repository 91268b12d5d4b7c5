import torch


def name():
    if torch.version.hip is not None:
        return "cuda"  # AMD
    if torch.version.cuda:
        return "cuda"
    return "cpu"


def label():
    return "cuda" if torch.version.cuda else "rocm"
# output
