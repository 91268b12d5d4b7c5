import torch

torch.set_float32_matmul_precision(precision="medium")
torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
# output
arch: gfx1100
3 works-as-is: torch.set_float32_matmul_precision(precision="medium")
4 works-as-is: torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
