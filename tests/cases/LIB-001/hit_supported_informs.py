import flash_attn
from flash_attn import flash_attn_func as fa
from flash_attn.bert_padding import unpad_input

try:
    from flash_attn.flash_attn_interface import flash_attn_varlen_func
except ImportError:
    flash_attn_varlen_func = None
# output
1 info: import flash_attn
2 info: from flash_attn import flash_attn_func as fa
3 info: from flash_attn.bert_padding import unpad_input
6 info: from flash_attn.flash_attn_interface import flash_attn_varlen_func
