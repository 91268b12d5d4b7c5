import torch

try:
    import selective_scan_cuda
except ImportError:
    selective_scan_cuda = None

if torch.cuda.is_available():
    import causal_conv1d_cuda
# output
target: gaudi
