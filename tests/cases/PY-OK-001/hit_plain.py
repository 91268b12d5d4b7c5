import torch
from torch.cuda.amp import GradScaler, autocast

torch.cuda.synchronize()
start = torch.cuda.Event(enable_timing=True)
start.record()
scaler = GradScaler()
with autocast():
    stream = torch.cuda.current_stream()
low, high = torch.cuda.Stream.priority_range()
torch.cuda.cudart().cudaHostRegister(ptr, size, 0)
# output
4 works-as-is: torch.cuda.synchronize
5 works-as-is: torch.cuda.Event
7 works-as-is: GradScaler
8 works-as-is: autocast
9 works-as-is: torch.cuda.current_stream
10 works-as-is: torch.cuda.Stream.priority_range
11 works-as-is: torch.cuda.cudart().cudaHostRegister
