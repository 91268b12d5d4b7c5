import torch
from torch.utils.data import DataLoader

x = torch.empty(4).pin_memory(device="hpu")
loader = DataLoader(data, pin_memory=True, pin_memory_device="hpu")
other = torch.empty(4, pin_memory=False)
pin_memory = True
configure(pin_memory=True)
text = "x.pin_memory()"  # x.pin_memory()
# output
target: gaudi
