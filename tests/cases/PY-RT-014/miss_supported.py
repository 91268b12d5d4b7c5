import torch.distributed as dist

dist.init_process_group("nccl")
group = dist.new_group(backend="gloo")
# output
