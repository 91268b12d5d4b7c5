import numba
import torch

is_hip = torch.version.hip is not None


@numba.jit
def k(a):
    if is_hip:
        return a
    return a + 1


@torch.jit.script
def f(a):
    return a if is_hip else a + 1
# output
