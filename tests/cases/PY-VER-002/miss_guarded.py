import torch

if torch.version.cuda is not None and torch.version.cuda >= "11.8":
    fp8 = True
if torch.version.cuda == "12.1":
    wheel = "cu121"
major = int((torch.version.cuda or "0").split(".")[0])
if major >= 12:
    fast = True
same = torch.version.cuda == torch.version.hip
# output
5 info: torch.version.cuda == "12.1"
8 info: major >= 12
