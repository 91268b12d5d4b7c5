import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

torch.backends.cuda.enable_cudnn_sdp(False)
torch.backends.cuda.enable_flash_sdp(False)
torch.backends.cuda.enable_mem_efficient_sdp(False)
torch.backends.cuda.enable_math_sdp(False)
with torch.backends.cuda.sdp_kernel(
    enable_flash=False, enable_math=False, enable_mem_efficient=False, enable_cudnn=False
):
    pass
if torch.version.hip is None:
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        pass
# output
