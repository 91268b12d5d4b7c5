import torch

is_rocm = torch.version.hip is not None
if not is_rocm:
    from apex import amp
# output
