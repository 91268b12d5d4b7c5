import torch
from torch.utils.data import DataLoader

x = torch.empty(4, pin_memory=True)
y = x.clone().pin_memory()
loader = DataLoader(data, pin_memory=True)
# output
target: gaudi
4 crash: pin_memory=True
5 crash: x.clone().pin_memory()
6 info: pin_memory=True
