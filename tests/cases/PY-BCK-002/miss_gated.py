import torch

is_rocm = torch.version.hip is not None
torch.backends.cuda.matmul.fp32_precision = "ieee" if is_rocm else "bfx9"
if not is_rocm:
    torch.backends.cuda.matmul.fp32_precision = "bfx9"
# output
