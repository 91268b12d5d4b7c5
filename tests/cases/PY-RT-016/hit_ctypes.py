import ctypes
import torch

s = torch.cuda.Stream()
lib.launch(ctypes.c_void_p(s.cuda_stream))
handle = torch.cuda.current_blas_handle()
# output
5 info: ctypes.c_void_p(s.cuda_stream)
6 info: torch.cuda.current_blas_handle()
