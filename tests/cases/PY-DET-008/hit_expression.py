import torch

device = "cuda" if torch.version.cuda else "cpu"
other = torch.device("cpu") if torch.version.hip is not None else torch.device("cuda:0")
# output
3 runs-on-cpu: torch.version.cuda
4 runs-on-cpu: torch.version.hip is not None
