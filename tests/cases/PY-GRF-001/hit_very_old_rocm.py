import torch

g = torch.cuda.graphs.CUDAGraph()
# output
rocm: 5.2
3 crash: torch.cuda.graphs.CUDAGraph()
