import torch

print(torch.backends.cudnn.allow_tf32)
assert torch.backends.cudnn.conv.fp32_precision == "tf32"
torch.backends.cuda.matmul.allow_tf32 = True
# output
