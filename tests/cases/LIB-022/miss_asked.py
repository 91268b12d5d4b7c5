import torch
from packaging import version

try:
    from torch._six import inf
except ImportError:
    from math import inf

if hasattr(torch, "symeig"):
    solve = torch.symeig
if version.parse(torch.__version__) < version.parse("1.8"):
    spectrum = torch.rfft(torch.ones(4), 1)
    other = torch.fft(torch.ones(4, 2), 1)


def eigenvalues(a):
    try:
        return torch.linalg.eigh(a)
    except AttributeError:
        return torch.symeig(a, eigenvectors=True)
# output
5 info: from torch._six import inf
10 info: torch.symeig
12 info: torch.rfft
13 info: torch.fft
20 info: torch.symeig
