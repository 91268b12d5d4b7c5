import mylib as torch
from packaging.version import parse

hip = parse(torch.version.hip)
text = "parse(torch.version.hip)"
# output
