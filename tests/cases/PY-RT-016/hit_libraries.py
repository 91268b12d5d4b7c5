import cuda.bindings.driver as cuda
import cupy
import torch

stream = cuda.CUstream(torch.cuda.current_stream().cuda_stream)
raw = torch.cuda.current_stream(0).cuda_stream
other = cuda.CUstream(raw)
external = cupy.cuda.ExternalStream(stream.cuda_stream)
# output
5 crash: cuda.CUstream(torch.cuda.current_stream().cuda_stream)
7 crash: cuda.CUstream(raw)
8 info: cupy.cuda.ExternalStream(stream.cuda_stream)
