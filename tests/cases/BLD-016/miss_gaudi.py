import torch
from torch.utils.cpp_extension import load

host = load(name="host", sources=["host.cpp"])
if torch.cuda.is_available():
    device = load(name="device", sources=["device.cu"])
try:
    fast = load(name="fast", sources=["fast.cu"])
except Exception:
    fast = None
# output
target: gaudi
