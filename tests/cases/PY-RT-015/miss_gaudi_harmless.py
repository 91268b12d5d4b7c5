import torch

if hasattr(torch.cuda, "_is_in_bad_fork") and torch.cuda._is_in_bad_fork():
    raise RuntimeError("forked after CUDA was initialised")
# output
target: gaudi
