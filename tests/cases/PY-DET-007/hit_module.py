import torch

if torch.hip.is_available():
    count = torch.hip.device_count()
# output
3 crash: torch.hip.is_available
4 crash: torch.hip.device_count
