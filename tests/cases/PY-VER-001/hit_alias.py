import torch as t
from torch import version

major = int(t.version.cuda.split(".")[0])
minor = version.cuda[3:]
v = t.version
number = float(v.cuda)
# output
4 crash: t.version.cuda.split
5 crash: version.cuda[3:]
7 crash: float(v.cuda)
