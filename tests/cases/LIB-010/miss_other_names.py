from .cutlass import gemm
from vllm.utils.flashinfer import has_flashinfer
from myproject.kernels_cuda import run
from .ops_cuda import op

use_cuda = is_cuda = True  # import cutlass
module = "deep_gemm"
# output
