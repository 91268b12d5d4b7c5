import torch
from torch.nn.functional import scaled_dot_product_attention

USE_XFORMERS = torch.version.hip is None
if torch.version.hip is None:
    import xformers.ops
# output
