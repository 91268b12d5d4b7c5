import torch
from packaging.version import parse


def torch_hip_version():
    if torch.version.hip:
        return parse(torch.version.hip.split()[-1].replace("-", "+"))
    return None
# output
7 info: parse(torch.version.hip.split()[-1].replace("-", "+"))
