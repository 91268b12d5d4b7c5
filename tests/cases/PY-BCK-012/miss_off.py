import torch

torch.backends.cudnn.deterministic = False
torch.use_deterministic_algorithms(False)
print(torch.backends.cudnn.deterministic, "CUBLAS_WORKSPACE_CONFIG=:4096:8")


class Args:
    deterministic = True
# output
