import torch
from mylib import cuda

print("capability", torch.cuda.get_device_capability())
text = "torch.cuda.get_device_capability() >= (9, 0)"  # get_device_capability() >= (9, 0)
memory = torch.cuda.get_device_properties(0).total_memory >= 16
xpu = torch.xpu.get_device_capability() >= (9, 0)
same = torch.cuda.get_device_capability(0) == torch.cuda.get_device_capability(1)
missing = torch.cuda.get_device_capability() is None
cache = {}
cache[torch.cuda.get_device_capability()] = 1
newer = cuda.get_device_properties(0).major >= 9
# output
