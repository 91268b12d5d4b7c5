import torch

if torch.version.cuda is not None:
    newest = max(int(a.split("_")[1]) for a in torch.cuda.get_arch_list())
text = 'torch.cuda.get_arch_list()[0].split("_")'
# output
