import torch
from torch import device as Device

a = torch.device("hip")
b = Device(f"rocm:{0}")
x = torch.zeros(3, device="hip:0")
y = x.to("rocm")
z = x.to(device="hip")
# output
4 crash: "hip"
5 crash: f"rocm:{0}"
6 crash: "hip:0"
7 crash: "rocm"
8 crash: "hip"
