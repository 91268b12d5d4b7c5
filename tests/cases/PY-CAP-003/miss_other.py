import torch

metric = "loss"
name = f"compute_{metric}"
fixed = "sm_80"
cap = torch.cuda.get_device_capability()
version = f"{cap[0]}.{cap[1]}"
# output
