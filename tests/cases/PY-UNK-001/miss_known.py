import torch
from torch.cuda import *
from torch.cuda.amp import autocast

torch.cuda.synchronize()
torch.cuda.Stream.priority_range()
torch.cuda.get_device_properties(0).multi_processor_count
torch.cuda.current_stream().cuda_stream
torch.cuda._sleep(1)
torch.cuda.memory._snapshot()
torch.cuda.graphs.graph_pool_handle()
# output
