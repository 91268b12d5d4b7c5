import torch
from mylib import get_device_name

print("A100 or not:", torch.cuda.get_device_name())
is_dot_ten = "A10" in get_device_name()
mine = torch.cuda.get_device_name() == "gpu"
title = "H100" in "results for H100"
# output
