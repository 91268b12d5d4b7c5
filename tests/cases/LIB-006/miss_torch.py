from torch import amp
from torch.cuda.amp import GradScaler
from .apex import helper

name = "apex"  # from apex import amp
# output
