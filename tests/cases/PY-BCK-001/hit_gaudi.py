import torch

torch.backends.cuda.matmul.allow_tf32 = True
# output
target: gaudi
3 works-as-is: torch.backends.cuda.matmul.allow_tf32 = True
