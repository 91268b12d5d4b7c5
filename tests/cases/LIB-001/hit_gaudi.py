from flash_attn import flash_attn_func
# output
target: gaudi
1 crash: from flash_attn import flash_attn_func
