import torch

vendor = "hip" if torch.version.hip else "cuda"
print(vendor)
device = torch.device("cuda" if torch.version.hip else "cpu")
# output
