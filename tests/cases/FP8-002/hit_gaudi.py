import torch

layer.weight.data = layer.weight.data.view(torch.float8_e4m3fnuz)
# output
target: gaudi
3 wrong-result: layer.weight.data.view(torch.float8_e4m3fnuz)
