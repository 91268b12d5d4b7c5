import torch

model.to("cuda")
x = torch.zeros(2, device="cuda")
# output
target: gaudi
