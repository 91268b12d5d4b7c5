import torch
from torch.multiprocessing import start_processes


def launch(function, count, hip):
    method = "spawn" if hip else "forkserver"
    torch.cuda.init()
    start_processes(function, nprocs=count, start_method=method)
# output
