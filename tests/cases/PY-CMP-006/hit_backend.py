import torch
import torch_tensorrt


@torch.compile(backend="tensorrt")
def step(x):
    return x * 2


fast = torch.compile(step, backend="torch_tensorrt", dynamic=False)
# output
5 crash: backend="tensorrt"
10 crash: backend="torch_tensorrt"
