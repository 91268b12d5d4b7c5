import torch

if torch.backends.cudnn.enabled:
    print("cudnn.enabled = True", torch.backends.cudnn.version())


class cudnn:
    enabled = False


cudnn.enabled = False
# output
