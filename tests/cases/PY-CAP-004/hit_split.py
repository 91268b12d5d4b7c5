import torch

newest = max(int(arch.split("_")[1]) for arch in torch.cuda.get_arch_list())
archs = [a for a in torch.cuda.get_arch_list() if "sm_" in a]
for name in torch.cuda.get_arch_list():
    number = int(name[3:])
# output
3 crash: arch.split("_")
4 crash: "sm_" in a
6 crash: name[3:]
