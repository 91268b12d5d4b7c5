import torch

has_fp8 = torch.cuda.get_device_capability() >= (9, 0)
# output
arch: gfx90a
3 wrong-result: torch.cuda.get_device_capability() >= (9, 0)
