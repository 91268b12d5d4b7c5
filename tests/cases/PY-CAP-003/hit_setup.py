import torch
from torch.utils.cpp_extension import CUDAExtension

cap = torch.cuda.get_device_capability()
arch = f"sm_{cap[0]}{cap[1]}"
flags = [f"-gencode=arch=compute_{cap[0]}{cap[1]},code=sm_{cap[0]}{cap[1]}"]
# output
path: setup.py
5 build-fail: f"sm_{cap[0]}{cap[1]}"
6 build-fail: f"-gencode=arch=compute_{cap[0]}{cap[1]},code=sm_{cap[0]}{cap[1]}"
