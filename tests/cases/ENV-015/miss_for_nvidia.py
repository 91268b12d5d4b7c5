import os

import torch

if torch.version.cuda is not None:
    archs = os.environ["TORCH_CUDA_ARCH_LIST"].split(";")
os.environ["CUDA_PATH"] = "/opt/x"
path = os.environ["CUDA_PATH"] + "/lib"
# output
