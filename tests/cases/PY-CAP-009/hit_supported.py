import torch

dtype = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
use_bf16 = torch.cuda.get_device_capability()[0] >= 8
# output
arch: gfx1030
3 perf: torch.cuda.is_bf16_supported()
4 perf: torch.cuda.get_device_capability()[0] >= 8
