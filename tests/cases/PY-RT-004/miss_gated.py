import torch

if torch.version.cuda:
    torch.cuda.cudart().cudaProfilerStart()
text = "torch.cuda.profiler.start()"
# output
