import torch

print(torch.backends.cuda.matmul.allow_tf32)
old = torch.backends.cuda.matmul.allow_tf32
torch.set_float32_matmul_precision("highest")
torch.backends.cuda.matmul.fp32_precision = "ieee"
text = "torch.backends.cuda.matmul.allow_tf32 = True"
# output
