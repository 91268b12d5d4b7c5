import torch
import habana_frameworks.torch as ht

if torch.cuda.is_available():
    graph = torch.cuda.CUDAGraph()
else:
    graph = ht.hpu.HPUGraph()
# output
target: gaudi
