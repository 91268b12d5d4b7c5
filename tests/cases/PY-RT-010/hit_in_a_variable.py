import torch
from torch.multiprocessing import start_processes


def launch(function, count, device_type):
    method = "spawn" if device_type == "xpu" else "fork"
    torch.cuda.init()
    start_processes(function, nprocs=count, start_method=method)
# output
8 crash: start_processes(function, nprocs=count, start_method=method)
