import torch
from apex.normalization import FusedLayerNorm


def run(x):
    return FusedLayerNorm(8)(x)
# output
2 info: from apex.normalization import FusedLayerNorm
