import os

import torch

if torch.version.hip is not None:
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
# output
6 runs-on-cpu: os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
