import torch
from torch.cuda.amp import custom_fwd


def norm(x):
    with torch.autocast(device_type="cuda", enabled=False):
        return x.float().norm()


forward = custom_fwd(norm)
# output
target: gaudi
6 wrong-result: torch.autocast(device_type="cuda", enabled=False)
10 wrong-result: custom_fwd
