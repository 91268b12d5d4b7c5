import torch


def execute(prompt, low_memory):
    if low_memory:
        torch.cuda.empty_cache()


def finish(model):
    torch.cuda.empty_cache()
# output
