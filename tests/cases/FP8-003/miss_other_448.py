import torch

image = torch.zeros(3, 448, 448)
fp8_dim = 448
size = width * 448
config = dict(max_model_len=448)
x = x.clamp(0, 448)  # fp8
# output
