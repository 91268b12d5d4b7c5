import torch.distributed as dist

text = 'dist.init_process_group("nccl")'
dist.init_process_group(backend="hccl")
# output
target: gaudi
