from torch.backends import cuda

LIBRARY = "cublasLt"
cuda.preferred_blas_library(LIBRARY)
# output
4 works-as-is: cuda.preferred_blas_library(LIBRARY)
