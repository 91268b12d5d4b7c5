import torch


def stages(current_platform, key):
    if current_platform.is_rocm() or current_platform.is_xpu():
        return 4
    capability = torch.cuda.get_device_capability(key.device)
    return 10 if capability[0] >= 9 else 8
# output
target: gaudi
8 wrong-result: capability[0] >= 9
