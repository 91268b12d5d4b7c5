import torch
import cudnn

print("cuDNN", torch.backends.cudnn.version())
present = torch.backends.cudnn.version() is not None
other = cudnn.version() >= 8900
# output
