import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.MATH]):
    pass
with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
    pass
torch.backends.cuda.enable_cudnn_sdp(True)
torch.backends.cuda.enable_flash_sdp(False)
ORDER = [SDPBackend.MATH]
ORDER.insert(0, SDPBackend.CUDNN_ATTENTION)
# output
