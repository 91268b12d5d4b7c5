import torch


def names():
    return [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]


def each():
    for i in range(torch.cuda.device_count()):
        torch.cuda.set_device(i)
# output
target: gaudi
5 wrong-result: torch.cuda.device_count
9 wrong-result: torch.cuda.device_count
