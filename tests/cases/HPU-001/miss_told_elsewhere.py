import torch
from torch.cuda import nvtx

if torch.cuda.is_available():
    print("a GPU")
free, total = torch.cuda.mem_get_info()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    nvtx.range_push("step")
sms = torch.cuda.get_device_properties(0).multi_processor_count
hopper = torch.cuda.get_device_capability()[0] >= 9
version = torch.cuda.nccl.version()
bf16 = torch.cuda.is_bf16_supported()
raw = torch.cuda.current_stream().cuda_stream
torch.cuda._sleep(1000)
# output
target: gaudi
