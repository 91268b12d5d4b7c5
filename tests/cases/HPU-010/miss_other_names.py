import selective_scan_cuda_reference
from models import amp_C_levels

names = ["selective_scan_cuda"]
# output
target: gaudi
