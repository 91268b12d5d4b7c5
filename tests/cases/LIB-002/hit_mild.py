import flash_attn_2_cuda as flash_attn_gpu

try:
    import flash_attn_3
except ImportError:
    flash_attn_3 = None
# output
1 info: import flash_attn_2_cuda as flash_attn_gpu
4 info: import flash_attn_3
