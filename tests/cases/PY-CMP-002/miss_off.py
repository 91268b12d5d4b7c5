import torch
import torch._inductor.config as inductor_config
from mylib import config

inductor_config.max_autotune = False
config.max_autotune = True
print(inductor_config.max_autotune, "mode=max-autotune")
if torch.version.hip is None:
    inductor_config.max_autotune = True
# output
