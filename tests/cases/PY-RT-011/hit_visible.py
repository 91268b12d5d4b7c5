import os

import torch


def setup(rank):
    count = torch.cuda.device_count()
    os.environ["CUDA_VISIBLE_DEVICES"] = str(rank % count)
# output
7 crash: torch.cuda.device_count()
