import torch.distributed as dist

dist.init_process_group("gloo")
dist.init_process_group(backend=args.backend)
ray.init_process_group("nccl")
# output
