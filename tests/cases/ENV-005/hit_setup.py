import os

os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "8.0")
# output
path: setup.py
3 info: os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "8.0")
