import torch as th
from torch.backends.cuda import sdp_kernel

th.backends.cuda.enable_flash_sdp(False)
th.backends.cuda.enable_mem_efficient_sdp(False)
th.backends.cuda.enable_math_sdp(enabled=False)
th.backends.cuda.enable_cudnn_sdp(True)

with sdp_kernel(enable_flash=False, enable_math=False, enable_mem_efficient=False):
    enable_cudnn = True
# output
7 crash: th.backends.cuda.enable_cudnn_sdp(True)
9 crash: sdp_kernel(enable_flash=False, enable_math=False, enable_mem_efficient=False)
