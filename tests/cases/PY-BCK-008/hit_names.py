import torch

torch.backends.cuda.preferred_blas_library("cublaslt")
torch.backends.cuda.preferred_blas_library(backend="cublas")
# output
3 works-as-is: torch.backends.cuda.preferred_blas_library("cublaslt")
4 works-as-is: torch.backends.cuda.preferred_blas_library(backend="cublas")
