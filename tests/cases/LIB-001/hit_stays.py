import torch
from flash_attn import flash_attn_func
from flash_attn.bert_padding import pad_input

try:
    from flash_attn.flash_attn_interface import flash_attn_unpadded_qkvpacked_func
except ImportError:
    from flash_attn.flash_attn_interface import flash_attn_varlen_qkvpacked_func as flash_attn_unpadded_qkvpacked_func
# output
2 info: from flash_attn import flash_attn_func
3 info: from flash_attn.bert_padding import pad_input
6 info: from flash_attn.flash_attn_interface import flash_attn_unpadded_qkvpacked_func
8 info: from flash_attn.flash_attn_interface import flash_attn_varlen_qkvpacked_func as flash_attn_unpadded_qkvpacked_func
