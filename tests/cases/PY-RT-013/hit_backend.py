import torch.distributed as dist
from torch.distributed import init_process_group as start

dist.init_process_group("nccl", rank=0, world_size=2)
start(backend="cpu:gloo,cuda:nccl")
group = dist.new_group(ranks=[0, 1], backend="nccl")
# output
4 works-as-is: dist.init_process_group("nccl", rank=0, world_size=2)
5 works-as-is: start(backend="cpu:gloo,cuda:nccl")
6 works-as-is: dist.new_group(ranks=[0, 1], backend="nccl")
