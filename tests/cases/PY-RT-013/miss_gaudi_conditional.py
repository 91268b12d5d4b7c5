import torch
import torch.distributed as dist

from .device import DEVICE_TYPE

dist.init_process_group("nccl" if torch.cuda.is_available() else "hccl")


def start() -> None:
    if DEVICE_TYPE == "hpu":
        backend = "hccl"
    else:
        backend = "nccl"
    dist.init_process_group(backend)
# output
target: gaudi
