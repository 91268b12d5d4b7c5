import os

import torch
from torch.backends import cudnn

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
cudnn.deterministic = True
torch.use_deterministic_algorithms(True, warn_only=True)
torch.use_deterministic_algorithms(mode=True)
# output
6 works-as-is: os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
7 works-as-is: cudnn.deterministic = True
8 works-as-is: torch.use_deterministic_algorithms(True, warn_only=True)
9 works-as-is: torch.use_deterministic_algorithms(mode=True)
