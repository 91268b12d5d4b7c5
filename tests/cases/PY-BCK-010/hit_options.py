import torch
from torch.nn.attention.varlen import varlen_attn


def attention(q, k, v, cu, n, fixed):
    options = {}
    if fixed:
        options["num_splits"] = 1
    options["enable_gqa"] = True
    return varlen_attn(q, k, v, cu, cu, n, n, **options)
# output
8 crash: options["num_splits"] = 1
