import torch

try:
    torch.cuda.nvtx.range_push("step")
    seeds = torch.cuda.manual_seed_all(7)
except torch.cuda.OutOfMemoryError:
    raise
# output
target: gaudi
5 wrong-result: torch.cuda.manual_seed_all
6 wrong-result: torch.cuda.OutOfMemoryError
