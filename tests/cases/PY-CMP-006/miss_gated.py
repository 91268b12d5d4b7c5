import torch

model = torch.nn.Linear(8, 8)
if torch.version.hip is None:
    model = torch.compile(model, backend="tensorrt")
model = torch.compile(model, backend="inductor" if torch.version.hip else "torch_tensorrt")
# output
