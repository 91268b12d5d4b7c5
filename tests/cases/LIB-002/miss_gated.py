import torch

if torch.version.cuda is not None:
    from flash_attn_interface import flash_attn_func
else:
    from flash_attn import flash_attn_func
# output
