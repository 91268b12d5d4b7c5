import torch
from packaging.version import parse

hip = parse(torch.version.hip.split("-")[0])
major, minor = map(int, torch.version.hip.split(".")[:2])
first = int(torch.version.hip.split(".")[0])
if torch.version.hip:
    print(torch.version.hip)
# output
