import torch

torch.cuda.cudart().cudaProfilerStart()
run()
rt = torch.cuda.cudart()
rt.cudaProfilerStop()
# output
3 wrong-result: torch.cuda.cudart().cudaProfilerStart()
6 wrong-result: rt.cudaProfilerStop()
