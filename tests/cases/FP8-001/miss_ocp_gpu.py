import torch

x = x.to(torch.float8_e4m3fn)
# output
arch: gfx950
