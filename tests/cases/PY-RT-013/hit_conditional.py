import torch
import torch.distributed as dist


def start(use_gpu: bool) -> None:
    dist.init_process_group(backend="nccl" if use_gpu else "gloo")


def start_by_count(world_size: int) -> None:
    if torch.cuda.device_count() >= world_size:
        backend = "nccl"
    else:
        backend = "gloo"
    dist.init_process_group(backend=backend, world_size=world_size)
# output
6 works-as-is: "nccl"
11 works-as-is: "nccl"
