import torch

if not torch.version.hip:
    import transformer_engine.pytorch as te
# output
