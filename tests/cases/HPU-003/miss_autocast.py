import torch

with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
    pass
with torch.amp.autocast("cuda"):
    pass
# output
target: gaudi
