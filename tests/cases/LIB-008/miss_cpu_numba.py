import numba
from numba import jit, njit, prange
from torch import cuda


@njit
def f(x):
    return x + 1  # numba.cuda


cuda.synchronize()
# output
