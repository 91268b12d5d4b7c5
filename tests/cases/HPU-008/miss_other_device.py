import torch
from mylib import autocast

with torch.autocast("hpu", dtype=torch.bfloat16):
    pass
with torch.autocast(device_type=x.device.type):
    pass
with autocast("cuda"):
    pass
# output
target: gaudi
