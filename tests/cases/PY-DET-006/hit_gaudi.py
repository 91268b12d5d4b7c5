import torch.backends.cuda

if torch.backends.cuda.is_built():
    device = "cuda"
# output
target: gaudi
3 perf: torch.backends.cuda.is_built()
