import torch

torch.set_default_tensor_type(torch.cuda.HalfTensor)
# output
target: gaudi
3 crash: torch.cuda.HalfTensor
