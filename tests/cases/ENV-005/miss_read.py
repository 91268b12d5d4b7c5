import os

import torch

archs = os.environ.get("TORCH_CUDA_ARCH_LIST")
if torch.version.cuda is not None:
    os.environ["TORCH_CUDA_ARCH_LIST"] = "9.0"
# output
