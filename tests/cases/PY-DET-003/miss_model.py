import torch
from mylib import cuda

name = torch.cuda.get_device_name()
has_fp8 = "MI300" in name
vendor = "AMD" in cuda.get_device_name()
# output
