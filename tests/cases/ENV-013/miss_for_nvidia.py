import os

import torch

if torch.version.hip is None:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["HIP_VISIBLE_DEVICES"] = devices
# output
