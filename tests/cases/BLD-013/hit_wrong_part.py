import torch

build = int(torch.version.hip.rsplit(".", 1)[-1])
patch = float(torch.version.hip.partition(".")[2])
# output
3 build-fail: int(torch.version.hip.rsplit(".", 1)[-1])
4 build-fail: float(torch.version.hip.partition(".")[2])
