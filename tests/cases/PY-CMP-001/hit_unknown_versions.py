import torch

MODE = "reduce-overhead"
model = torch.compile(torch.nn.Linear(8, 8), mode=MODE)
# output
4 info: mode=MODE
