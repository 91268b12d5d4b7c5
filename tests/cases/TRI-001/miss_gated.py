import torch
import triton


def is_hip():
    return torch.version.hip is not None


def settings(x, kernel, n):
    num_warps = 32 if not is_hip() else 16
    if x.device.type == "xpu":
        kernel[(n,)](x, num_warps=32)
    kernel[(n,)](x, num_warps=num_warps)
    return [
        triton.Config({}, num_warps=w) for w in [8, 16, 32] if w * 64 <= 1024
    ]
# output
