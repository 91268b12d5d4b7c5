import torch.distributed as dist

dist.init_process_group("nccl")
# output
target: gaudi
3 crash: dist.init_process_group("nccl")
