import torch
import selective_scan_cuda
from causal_conv1d_cuda import causal_conv1d_fwd


def scan(x):
    return selective_scan_cuda.fwd(x)
# output
target: gaudi
2 crash: import selective_scan_cuda
3 crash: from causal_conv1d_cuda import causal_conv1d_fwd
