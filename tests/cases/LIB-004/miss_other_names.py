from .xformers import attention
from xformers.components import build_attention
from diffusers.utils import is_xformers_available

pipe.enable_xformers_memory_efficient_attention()  # xformers.ops
# output
