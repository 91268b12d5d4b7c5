import torch

stream = torch._C._cuda_getCurrentRawStream(0)
torch.cuda._lazy_init()
# output
target: gaudi
3 crash: torch._C._cuda_getCurrentRawStream
4 crash: torch.cuda._lazy_init
