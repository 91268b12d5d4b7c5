import torch

has_fp8 = torch.cuda.get_device_capability() >= (9, 0)
# output
arch: gfx90a
3 perf: torch.cuda.get_device_capability() >= (9, 0)
