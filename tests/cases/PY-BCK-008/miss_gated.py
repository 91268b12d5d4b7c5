import torch

from mylib import cuda

cuda.preferred_blas_library("cublaslt")
if torch.version.hip is None:
    torch.backends.cuda.preferred_blas_library("cublaslt")
# output
