import torch
from mylib import cuda

tf32 = torch.cuda.get_device_capability()[0] >= 8
other = cuda.is_bf16_supported()
text = "torch.cuda.is_bf16_supported()"
if torch.version.hip is None:
    bf16 = torch.cuda.is_bf16_supported()
# output
