import torch
from packaging.version import parse as V
import packaging.version as pv

CUDA = V(torch.version.cuda)
newer = pv.Version(version=torch.version.cuda)
tag = "torch-cu" + torch.version.cuda


def short() -> str | None:
    try:
        return torch.version.cuda.replace(".", "")
    except AttributeError:
        return None
# output
5 crash: V(torch.version.cuda)
6 crash: pv.Version(version=torch.version.cuda)
7 crash: "torch-cu" + torch.version.cuda
12 info: torch.version.cuda.replace
