import torch

if torch.cuda.get_device_capability() < (7, 0):
    raise RuntimeError("Triton needs Volta")
turing = torch.cuda.get_device_capability() == (7, 5)


def _nvidia_arch(index):
    return torch.cuda.get_device_capability(index) >= (9, 0)
# output
3 info: torch.cuda.get_device_capability() < (7, 0)
5 info: torch.cuda.get_device_capability() == (7, 5)
9 info: torch.cuda.get_device_capability(index) >= (9, 0)
