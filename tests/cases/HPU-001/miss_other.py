import mylib
import torch
from numba import cuda


def run(stream: torch.cuda.Stream, device: torch.device) -> torch.cuda.Event:
    cuda.synchronize()  # torch.cuda.synchronize()
    mylib.torch.cuda.synchronize()
    if device.type == "cuda":
        torch.cuda.synchronize()
    print("torch.cuda.synchronize()")
    if torch.version.cuda is not None:
        torch.cuda.reset_peak_memory_stats()
    torch.hpu.synchronize()
# output
target: gaudi
