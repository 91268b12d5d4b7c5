import torch

x = torch.rand(4)
if torch.cuda.is_available():
    x = x.cuda()
if x.device.type == "cuda":
    y = x.cuda()
x = x.to("hpu")
# output
target: gaudi
