from numba import cuda

backend = "cuda"
cuda.jit(backend)
device = "cuda_like"
# output
