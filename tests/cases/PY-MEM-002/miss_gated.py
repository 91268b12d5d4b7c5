import os
import torch

if torch.version.hip is None:
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
wanted = "expandable_segments:True" in os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "")
# output
torch: 2.13
rocm: 7.2
