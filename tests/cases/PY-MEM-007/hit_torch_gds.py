import os

import torch
from torch.cuda.gds import gds_register_buffer

f = torch.cuda.gds.GdsFile("w.bin", os.O_RDONLY)
gds_register_buffer(storage)
# output
6 crash: torch.cuda.gds.GdsFile("w.bin", os.O_RDONLY)
7 crash: gds_register_buffer(storage)
