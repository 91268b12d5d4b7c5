import torch.utils.ffi
from optimum.graphcore.diffusers import IPUStableDiffusionPipeline
# output
target: gaudi
1 crash: import torch.utils.ffi
2 crash: from optimum.graphcore.diffusers import IPUStableDiffusionPipeline
