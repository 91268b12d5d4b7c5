import pytest
import torch

from .device import DEVICE_TYPE, is_nvidia_gpu

HOPPER = torch.cuda.get_device_capability()[0] == 9 and torch.version.hip is None
hopper_only = pytest.mark.skipif(
    torch.cuda.get_device_capability() != (9, 0) or torch.version.cuda is None, reason="needs sm90"
)

if DEVICE_TYPE == "cuda":
    FAST = torch.cuda.get_device_capability() >= (9, 0)
elif DEVICE_TYPE == "hip":
    FAST = False


def has_tma():
    if DEVICE_TYPE in ("xpu", "hip"):
        return False
    return torch.cuda.get_device_capability()[0] >= 9


def _is_hopper():
    return torch.cuda.get_device_capability()[0] == 9


def backend():
    if is_nvidia_gpu() and _is_hopper():
        return "fa3"
    return "sdpa"
# output
