import torch
import mylib


def forward(x):
    if torch.version.cuda:
        torch.cuda.empty_cache()
    mylib.cuda.empty_cache()
    return x
# output
