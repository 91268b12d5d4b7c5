import torch
import torch.backends.cudnn as cudnn

torch.backends.cudnn.enabled = False
cudnn.enabled = True
# output
4 info: torch.backends.cudnn.enabled = False
5 info: cudnn.enabled = True
