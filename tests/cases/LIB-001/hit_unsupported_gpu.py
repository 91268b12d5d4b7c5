from flash_attn import flash_attn_func
# output
arch: gfx1030
1 crash: from flash_attn import flash_attn_func
