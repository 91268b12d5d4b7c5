import torch

try:
    from mypackage import _C
except ImportError:
    _C = None
if torch.version.hip is None:
    from otherpackage import _C
# output
