import torch

free, total = torch.cuda.mem_get_info()
size = torch.cuda.get_device_properties(0).total_memory
# output
arch: gfx942
