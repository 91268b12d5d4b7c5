import torch

raw = torch.cuda.current_stream().cuda_stream
torch.cuda.cudart().cudaHostRegister(buffer.data_ptr(), 4096, 0)
handle = storage._share_cuda_()
# output
target: gaudi
3 crash: torch.cuda.current_stream().cuda_stream
4 crash: torch.cuda.cudart().cudaHostRegister
5 crash: storage._share_cuda_
