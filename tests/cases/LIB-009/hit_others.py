import pycuda.autoinit
import pycuda.driver as cuda
from nvmath.linalg import matmul


def simulate():
    from cuquantum import custatevec

    return custatevec


try:
    from cuda.bindings import runtime
except ImportError:
    runtime = None
# output
1 crash: import pycuda.autoinit
2 crash: import pycuda.driver as cuda
3 crash: from nvmath.linalg import matmul
7 crash: from cuquantum import custatevec
13 info: from cuda.bindings import runtime
