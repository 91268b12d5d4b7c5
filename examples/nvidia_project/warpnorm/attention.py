"""Causal attention on [batch, sequence, heads, width]: flash-attn when installed, else torch."""

import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

try:
    from flash_attn import flash_attn_func
except ImportError:
    flash_attn_func = None

BACKENDS = [SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


def causal_attention(q, k, v):
    if flash_attn_func is not None:
        return flash_attn_func(q, k, v, causal=True)
    q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))
    with sdpa_kernel(BACKENDS):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)
