import flash_attn_interface as fa3


def attend(q, k, v):
    from flash_attn_interface import flash_attn_func
    import flash_attn_3._C

    return flash_attn_func(q, k, v)
# output
1 crash: import flash_attn_interface as fa3
5 crash: from flash_attn_interface import flash_attn_func
6 crash: import flash_attn_3._C
