import deepspeed
import torch

BACKEND = "NCCL"
torch.distributed.init_process_group(backend=BACKEND)
deepspeed.init_distributed(dist_backend="nccl")
# output
5 works-as-is: torch.distributed.init_process_group(backend=BACKEND)
6 works-as-is: deepspeed.init_distributed(dist_backend="nccl")
