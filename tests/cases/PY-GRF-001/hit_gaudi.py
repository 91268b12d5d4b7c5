import torch as t

g = t.cuda.CUDAGraph()
with t.cuda.graph(g):
    pass
# output
target: gaudi
3 crash: t.cuda.CUDAGraph()
4 crash: t.cuda.graph(g)
