import torch
from torch._inductor import config

config.triton.cudagraphs = False
torch.compile(torch.nn.Linear(8, 8), options={"triton.cudagraphs": False})
if config.triton.cudagraphs:
    print("triton.cudagraphs = True")
# output
torch: 2.10
rocm: 7.0
