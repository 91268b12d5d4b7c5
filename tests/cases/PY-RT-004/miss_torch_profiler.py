import torch
from torch.profiler import profile

with profile() as prof:
    run()
torch.cuda.cudart().cudaHostRegister(ptr, size, 0)
torch.autograd.profiler.profile()
# output
