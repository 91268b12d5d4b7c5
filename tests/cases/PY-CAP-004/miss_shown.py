import torch
from mylib import cuda

print(torch.cuda.get_arch_list())
count = len(torch.cuda.get_arch_list())
has_mi300 = "gfx942" in torch.cuda.get_arch_list()
other = [a.split("_")[1] for a in cuda.get_arch_list()]
# output
