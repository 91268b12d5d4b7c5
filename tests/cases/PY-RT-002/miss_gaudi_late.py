import torch

torch._assert_async(index.max() < 10)
# output
target: gaudi
3 info: torch._assert_async(index.max() < 10)
