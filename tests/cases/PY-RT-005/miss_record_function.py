import torch

text = "torch.cuda.nvtx.range_push"
with torch.profiler.record_function("nvtx"):
    run()
# output
