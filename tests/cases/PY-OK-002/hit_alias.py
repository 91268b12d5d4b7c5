import torch as t
from torch import nn

DEVICE = "cuda"
layer = nn.Linear(4, 4, device=DEVICE)
second = t.device("cuda", 1)
# output
4 works-as-is: "cuda"
5 works-as-is: DEVICE
6 works-as-is: "cuda"
