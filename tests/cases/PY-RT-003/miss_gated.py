import torch

if torch.version.hip is None:
    watts = torch.cuda.power_draw() / 1000
else:
    watts = amd_watts()
# output
torch: 2.12
