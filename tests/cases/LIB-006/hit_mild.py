try:
    from apex.normalization import FusedLayerNorm
except ImportError:
    from torch.nn import LayerNorm as FusedLayerNorm
HAS_APEX = True
if HAS_APEX:
    from apex.parallel import DistributedDataParallel
# output
2 info: from apex.normalization import FusedLayerNorm
7 info: from apex.parallel import DistributedDataParallel
