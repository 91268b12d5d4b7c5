import torch
from torch.amp import autocast

with torch.autocast("cuda", dtype=torch.bfloat16):
    pass
with autocast(device_type="cuda"):
    pass
scaler = torch.amp.GradScaler("cuda")
# output
target: gaudi
4 wrong-result: torch.autocast("cuda", dtype=torch.bfloat16)
6 wrong-result: autocast(device_type="cuda")
8 wrong-result: torch.amp.GradScaler("cuda")
