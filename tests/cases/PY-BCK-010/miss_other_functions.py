from flash_attn import flash_attn_with_kvcache
from torch.nn.attention.varlen import varlen_attn

from mylib.attention import varlen_attn as other


def forward(q, k, v, cu, n):
    flash_attn_with_kvcache(q, k, v, num_splits=0)
    other(q, k, v, num_splits=2)
    copy(q, num_splits=3)
    num_splits = 1
    return varlen_attn(q, k, v, cu, cu, n, n, num_splits=None), num_splits
# output
