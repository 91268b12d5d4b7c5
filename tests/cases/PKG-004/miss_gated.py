import subprocess

import torch

if torch.version.hip is None:
    subprocess.check_call(["pip", "install", "nvidia-cudnn-cu12"])
# output
