import torch

torch.backends.cuda.preferred_blas_library("hipblaslt")
torch.backends.cuda.preferred_blas_library("ck")
print(torch.backends.cuda.preferred_blas_library())
# output
