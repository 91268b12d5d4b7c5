import torch

x = torch.zeros(8, device="cuda")
# output
path: tests/test_rocm_reduce.py
target: gaudi
3 info: "cuda"
