import torch

cap = torch.cuda.get_device_capability()
if torch.version.hip is None and cap >= (9, 0):
    fp8 = True
if torch.version.hip:
    fp8 = cap >= (9, 4)


def hopper():
    if torch.version.hip is not None:
        return False
    return torch.cuda.get_device_capability()[0] == 9
# output
