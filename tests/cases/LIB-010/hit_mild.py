from importlib.util import find_spec

import lltm_cuda
from fused_ssim_cuda import fusedssim


def run(x):
    import flashinfer

    return flashinfer.norm.rmsnorm(x)


try:
    import deep_gemm
except ImportError:
    deep_gemm = None


HAS_CUTLASS = find_spec("cutlass") is not None
if HAS_CUTLASS:
    import cutlass
# output
3 info: import lltm_cuda
4 info: from fused_ssim_cuda import fusedssim
8 info: import flashinfer
14 info: import deep_gemm
21 info: import cutlass
