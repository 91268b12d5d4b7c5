import torch

if hasattr(torch, "hip") and torch.hip.is_available():
    count = torch.hip.device_count()
try:
    found = torch.hip.is_available()
except AttributeError:
    found = False
print(torch.version.hip)
# output
