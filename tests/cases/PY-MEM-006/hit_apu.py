import torch
from torch.cuda import mem_get_info

free, total = torch.cuda.mem_get_info()
blocks = int(mem_get_info(0)[0] * 0.9)
size = torch.cuda.get_device_properties(0).total_memory
# output
arch: gfx1151
4 wrong-result: torch.cuda.mem_get_info
5 wrong-result: mem_get_info
6 wrong-result: torch.cuda.get_device_properties(0).total_memory
