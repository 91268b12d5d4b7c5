import torch


def total_memory():
    if torch.cuda.is_available():
        import pynvml

        pynvml.nvmlInit()
        return pynvml.nvmlDeviceGetCount()
    return 0
# output
5 crash: torch.cuda.is_available()
