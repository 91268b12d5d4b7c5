import torch
from torch.nn.attention.varlen import varlen_attn


def forward(q, k, v, cu, n):
    if torch.version.hip:
        return varlen_attn(q, k, v, cu, cu, n, n)
    return varlen_attn(q, k, v, cu, cu, n, n, num_splits=1)


def either(q, k, v, cu, n):
    return varlen_attn(q, k, v, cu, cu, n, n, num_splits=None if torch.version.hip else 1)
# output
