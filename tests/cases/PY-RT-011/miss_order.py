import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
count = torch.cuda.device_count()


def later(rank):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(rank)
# output
