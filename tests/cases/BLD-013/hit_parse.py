import torch
from packaging.version import Version, parse

hip = parse(torch.version.hip)
also = Version(torch.version.hip) >= Version("6.0")
# output
4 build-fail: parse(torch.version.hip)
5 build-fail: Version(torch.version.hip)
