import torch
from torch.nn.attention.varlen import varlen_attn


def attention(q, k, v, cu, n, other):
    options = {}
    if torch.version.hip is None:
        options["num_splits"] = 1
    other["num_splits"] = 1
    return varlen_attn(q, k, v, cu, cu, n, n, **options)


def elsewhere(options):
    options["num_splits"] = 1
# output
