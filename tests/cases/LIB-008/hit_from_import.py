from numba import cuda
from numba import cuda as nbcuda


@cuda.jit
def add(x, y):
    i = cuda.grid(1)
    x[i] += y[i]
# output
1 crash: from numba import cuda
2 crash: from numba import cuda as nbcuda
