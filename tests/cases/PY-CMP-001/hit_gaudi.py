import torch

model = torch.compile(torch.nn.Linear(8, 8), mode="reduce-overhead")
# output
target: gaudi
3 info: mode="reduce-overhead"
