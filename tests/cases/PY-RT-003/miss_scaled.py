import torch

is_rocm = torch.version.hip is not None


def watts():
    return (torch.cuda.power_draw() * 1000 if is_rocm else torch.cuda.power_draw()) / 1000
# output
torch: 2.9
