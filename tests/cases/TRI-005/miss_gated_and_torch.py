import torch
import triton

torch.backends.cuda.matmul.fp32_precision = "tf32"


def run(kernel, a, b):
    is_rocm = torch.version.hip is not None
    kernel[(1,)](a, b, INPUT_PRECISION="ieee" if is_rocm else "tf32")
# output
