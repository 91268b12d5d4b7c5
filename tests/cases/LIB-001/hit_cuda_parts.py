from flash_attn.ops.fused_dense import FusedDense
from flash_attn.cute.interface import flash_attn_func


def norm():
    import flash_attn.ops.rms_norm as rn

    return rn
# output
1 crash: from flash_attn.ops.fused_dense import FusedDense
2 crash: from flash_attn.cute.interface import flash_attn_func
6 crash: import flash_attn.ops.rms_norm as rn
