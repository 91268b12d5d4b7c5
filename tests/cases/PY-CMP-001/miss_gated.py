import torch

model = torch.nn.Linear(8, 8)
if torch.version.hip is None:
    model = torch.compile(model, mode="reduce-overhead")
model = torch.compile(model, mode="default" if torch.version.hip else "reduce-overhead")


def is_rocm():
    return torch.version.hip is not None


if is_rocm():
    tested = torch.compile(model, mode="reduce-overhead")
# output
torch: 2.10
rocm: 7.0
