import torch

torch.backends.cudnn.benchmark = False
saved = torch.backends.cudnn.benchmark
torch.backends.cudnn.benchmark = saved
print("cudnn.benchmark = True")
# output
