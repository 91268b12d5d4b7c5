import torch
from torch.utils.data import DataLoader


def loader(data, device):
    pin = {"pin_memory": device.type == "cuda"}
    return DataLoader(data, pin_memory=device.type == "cuda"), pin


def empty_cache(device):
    if device.type == "cuda":
        torch.cuda.empty_cache()
    elif device.type == "mps":
        torch.mps.empty_cache()
    else:
        pass
# output
target: gaudi
6 info: device.type == "cuda"
7 info: device.type == "cuda"
11 info: device.type == "cuda"
