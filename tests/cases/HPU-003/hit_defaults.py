import torch


def build(rank, device="cuda", *, torch_device: str = "cuda:0"):
    device_of_rank = f"cuda:{rank}"
    return torch.empty(1, device=device_of_rank if rank else "cuda")


def default_device():
    return "cuda"
# output
target: gaudi
4 crash: "cuda"
4 crash: "cuda:0"
5 crash: f"cuda:{rank}"
6 crash: "cuda"
10 crash: "cuda"
