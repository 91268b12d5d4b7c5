import torch
from torch.cuda import CUDAGraph, graph

torch.distributed.init_process_group("nccl")
with graph(CUDAGraph(), capture_error_mode="global"):
    pass
# output
5 info: graph(CUDAGraph(), capture_error_mode="global")
