import torch as t
from torch.cuda import get_device_name as device_name

if "A100" in t.cuda.get_device_name(0):
    batch = 64
elif device_name().startswith("NVIDIA H100"):
    batch = 128

name = t.cuda.get_device_properties(0).name.lower()
is_gaming = any(word in name for word in ("geforce", "rtx"))
# output
4 info: "A100" in t.cuda.get_device_name(0)
6 info: device_name().startswith("NVIDIA H100")
10 info: word in name
