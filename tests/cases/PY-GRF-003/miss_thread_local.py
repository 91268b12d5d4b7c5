import torch
import torch.distributed as dist

dist.init_process_group("nccl")
mode = "thread_local" if torch.version.hip else "global"
with torch.cuda.graph(torch.cuda.CUDAGraph(), capture_error_mode="thread_local"):
    pass
with torch.cuda.graph(torch.cuda.CUDAGraph(), None, None, "relaxed"):
    pass
with torch.cuda.graph(torch.cuda.CUDAGraph(), capture_error_mode=mode):
    pass
# output
rocm: 7.1
