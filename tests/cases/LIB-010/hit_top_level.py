import cutlass
import cutlass.cute as cute
import deep_gemm
from flashinfer import BatchDecodeWithPagedKVCacheWrapper as W
from sgl_kernel import silu_and_mul
import nvshmem.core
import torchac_cuda
# output
1 crash: import cutlass
2 crash: import cutlass.cute as cute
3 crash: import deep_gemm
4 crash: from flashinfer import BatchDecodeWithPagedKVCacheWrapper as W
5 info: from sgl_kernel import silu_and_mul
6 crash: import nvshmem.core
7 crash: import torchac_cuda
