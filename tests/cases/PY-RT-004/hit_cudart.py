import torch

torch.cuda.cudart().cudaProfilerStart()
run()
rt = torch.cuda.cudart()
rt.cudaProfilerStop()
# output
3 info: torch.cuda.cudart().cudaProfilerStart()
6 info: rt.cudaProfilerStop()
