import torch
from torch.utils.dlpack import to_dlpack, from_dlpack as fd
from torch.utils import dlpack


def exchange(t, capsule):
    getattr(t, "__cuda_array_interface__")
    return to_dlpack(t), fd(capsule), dlpack.from_dlpack(capsule), torch.from_dlpack(capsule)
# output
7 info: getattr(t, "__cuda_array_interface__")
8 info: to_dlpack(t)
8 info: fd(capsule)
8 info: dlpack.from_dlpack(capsule)
8 info: torch.from_dlpack(capsule)
