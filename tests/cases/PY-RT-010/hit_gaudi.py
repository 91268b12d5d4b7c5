import torch
from torch.multiprocessing import set_start_method

torch.hpu.init()
set_start_method("fork", force=True)
# output
target: gaudi
5 crash: set_start_method("fork", force=True)
