import psutil
import torch

total_memory = psutil.virtual_memory().total
free, total = torch.xpu.mem_get_info()
name = "torch.cuda.mem_get_info"
# output
