import torch
from torch.cuda import CUDAGraph, make_graphed_callables

g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g, pool=None):
    pass
h = CUDAGraph()
model = make_graphed_callables(torch.nn.Linear(8, 8), (torch.ones(8),))
# output
4 works-as-is: torch.cuda.CUDAGraph()
5 works-as-is: torch.cuda.graph(g, pool=None)
7 works-as-is: CUDAGraph()
8 works-as-is: make_graphed_callables(torch.nn.Linear(8, 8), (torch.ones(8),))
