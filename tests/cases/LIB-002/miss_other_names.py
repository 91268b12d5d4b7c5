from flash_attn.flash_attn_interface import flash_attn_func
from .flash_attn_interface import helper

module = "flash_attn_2_cuda"  # import flash_attn_3
# output
