import torch
from packaging.version import Version

whole = Version(torch.version.hip.rstrip("-").replace("-", "+"))
short = Version(torch.version.hip[:3])
number = float(torch.version.hip[:3])
unknown = Version(torch.version.hip.split(separator)[0])
major = int(torch.version.hip.partition(".")[0])
print(torch.version.hip.split("-")[1])
# output
