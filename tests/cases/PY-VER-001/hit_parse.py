import torch
from packaging.version import parse

if parse(torch.version.cuda) >= parse("12.1"):
    flags = ["-O3"]
# output
4 crash: parse(torch.version.cuda)
