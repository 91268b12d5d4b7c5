import torch

x = torch.empty(4).pin_memory()
raw = torch.cuda.current_stream().cuda_stream
# output
3 works-as-is: torch.empty(4).pin_memory()
4 works-as-is: torch.cuda.current_stream().cuda_stream
