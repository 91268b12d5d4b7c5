import torch

bf16 = torch.cuda.is_bf16_supported()
use_bf16 = torch.cuda.get_device_capability()[0] >= 8
# output
arch: gfx942
