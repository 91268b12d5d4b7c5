import torch

s = torch.cuda.Stream()
assert s.cuda_stream != 0
same = s.cuda_stream == torch.cuda.default_stream().cuda_stream
torch.cuda.ExternalStream(s.cuda_stream)
_ = torch.cuda.current_blas_handle()
# output
