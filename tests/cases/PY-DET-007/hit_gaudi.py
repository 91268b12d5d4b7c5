import torch

TARGET = "hip"
with torch.autocast(device_type=TARGET):
    pass
weights = torch.load("w.pt", map_location="rocm")
# output
target: gaudi
4 crash: TARGET
6 crash: "rocm"
