import habana_frameworks.torch.gpu_migration
import torch

torch.cuda.synchronize()
# output
target: gaudi
