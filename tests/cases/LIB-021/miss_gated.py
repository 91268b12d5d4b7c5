import torch

if torch.version.hip is None:
    from torch.utils.ffi import create_extension
# output
