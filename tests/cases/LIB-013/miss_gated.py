import torch

if torch.version.hip is None:
    from nvidia.dali import pipeline_def
# output
