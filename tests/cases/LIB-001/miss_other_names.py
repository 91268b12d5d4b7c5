from .flash_attn import attention
from vllm.vllm_flash_attn import flash_attn_varlen_func
from mylib.flash_attn import ops

backend = "flash_attn"  # import flash_attn
# output
