import cupy as cp
from cupy.cuda import nccl
from cupyx.scipy import ndimage

comm = nccl.NcclCommunicator(2, uid, 0)
kernel = cp.RawKernel("extern \"C\" __global__ void f() {}", "f")
# output
1 info: import cupy as cp
2 info: from cupy.cuda import nccl
3 info: from cupyx.scipy import ndimage
5 crash: nccl.NcclCommunicator
6 info: cp.RawKernel
