import torch

cap = torch.cuda.get_device_capability()
torch.cuda.nvtx.range_push("a")
graph = torch.cuda.CUDAGraph()
free, total = torch.cuda.mem_get_info()
torch.cuda._sleep(10)
torch.cuda.brand_new_function()
modules = [torch.cuda, torch.cuda.amp]


def forward(x):
    torch.cuda.empty_cache()
    return x
# output
