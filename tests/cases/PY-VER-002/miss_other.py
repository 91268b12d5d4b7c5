import mylib as torch
from packaging import version

if torch.version.cuda >= "11.8":
    fp8 = True
text = 'torch.version.cuda >= "11.8"'
newer = version.parse("2.0") >= version.parse("1.0")
# output
