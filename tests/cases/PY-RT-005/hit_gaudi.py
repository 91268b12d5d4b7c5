import torch.cuda.nvtx as nvtx

nvtx.range_push("forward")
# output
target: gaudi
3 crash: nvtx.range_push("forward")
