import torch
from torch.cuda import nvtx

torch.cuda.nvtx.range_push("forward")
nvtx.range_pop()
with nvtx.range("step"):
    run()
# output
4 works-as-is: torch.cuda.nvtx.range_push("forward")
5 works-as-is: nvtx.range_pop()
6 works-as-is: nvtx.range("step")
