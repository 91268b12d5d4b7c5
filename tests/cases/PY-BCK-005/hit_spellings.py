import torch
from torch.backends import cudnn

torch.backends.cudnn.allow_tf32 = True
cudnn.conv.fp32_precision = "tf32"
cudnn.rnn.fp32_precision = "ieee"
# output
4 works-as-is: torch.backends.cudnn.allow_tf32 = True
5 works-as-is: cudnn.conv.fp32_precision = "tf32"
6 works-as-is: cudnn.rnn.fp32_precision = "ieee"
