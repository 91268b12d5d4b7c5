import torch

g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = torch.ones(8)
# output
rocm: 7.1
