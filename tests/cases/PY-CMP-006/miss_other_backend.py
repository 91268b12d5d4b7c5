import torch

from mylib import export

model = torch.compile(torch.nn.Linear(8, 8), backend="inductor")
export(model, backend="tensorrt")
NAMES = ["inductor", "tensorrt"]
# torch.compile(model, backend="tensorrt")
# output
