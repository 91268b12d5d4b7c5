import mylib as torch

text = 'torch.version.cuda.split(".")'  # torch.version.cuda.split
major = int(torch.version.cuda.split(".")[0])


def f(torch):
    return torch.version.cuda.split(".")
# output
