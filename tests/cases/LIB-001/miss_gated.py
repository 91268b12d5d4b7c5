import torch

if torch.version.hip is None:
    from flash_attn import flash_attn_func
    from flash_attn.ops.fused_dense import FusedDense
# output
