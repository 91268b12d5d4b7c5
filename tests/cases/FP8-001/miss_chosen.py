import torch


def fp8_type():
    if torch.cuda.get_device_properties(0).gcnArchName.startswith("gfx94"):
        return torch.float8_e4m3fnuz
    return torch.float8_e4m3fn


def quantize_nvfp4(scale):
    return scale.view(torch.float8_e4m3fn)
# output
