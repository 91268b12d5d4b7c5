import torch


def is_amd():
    return torch.version.hip is not None


if is_amd():
    arch = torch.cuda.get_device_properties(0).gcnArchName
    if "gfx11" in arch:
        torch.backends.cudnn.enabled = False
else:
    torch.backends.cudnn.enabled = False
# output
