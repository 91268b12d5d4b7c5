import torch

name = torch.cuda.get_device_name(0)
if "H100" in name:
    tile = 128
elif "MI300X" in name:
    tile = 256
else:
    tile = 64
if torch.version.hip is None and "RTX" in name:
    tile = 32
if "A100" not in name:
    tile = tile // 2
# output
12 info: "A100" not in name
