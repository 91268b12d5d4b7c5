import torch
from vllm.platforms import current_platform

if torch.version.hip is None:
    import deep_gemm
if current_platform.is_cuda():
    import cutlass
    import lltm_cuda
# output
