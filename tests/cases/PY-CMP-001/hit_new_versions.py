import torch

model = torch.compile(torch.nn.Linear(8, 8), mode="reduce-overhead")
# output
torch: 2.14
rocm: 7.14
3 info: mode="reduce-overhead"
