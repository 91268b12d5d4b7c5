import torch

nvidia = torch.backends.cuda.is_built() and torch.version.hip is None
if torch.backends.cuda.is_built() and not torch.version.hip:
    import pynvml
# output
