import torch
from mypackage.device import get_torch_device

if "AMD" in torch.xpu.get_device_name():
    workers = 1
if "H100" in get_torch_device().get_device_name():
    workers = 2
# output
