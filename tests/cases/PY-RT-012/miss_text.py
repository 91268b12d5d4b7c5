import torch

backend = "nccl"
text = "torch.cuda.nccl.version()"
available = torch.distributed.is_nccl_available()
# output
