import torch
import torch._inductor.config as inductor_config
from torch._inductor import config

inductor_config.max_autotune = True
config.max_autotune_gemm = True


@torch.compile(mode="max-autotune-no-cudagraphs")
def step(x):
    return x * 2


@config.patch(max_autotune_pointwise=True)
def tuned(x):
    return torch.compile(step, options={"max_autotune": True})(x)


with config.patch({"max_autotune": True}):
    torch.compile(step, mode="max-autotune")
with config.patch("max_autotune", True):
    pass
# output
5 info: inductor_config.max_autotune = True
6 info: config.max_autotune_gemm = True
9 info: mode="max-autotune-no-cudagraphs"
14 info: max_autotune_pointwise=True
16 info: "max_autotune"
19 info: "max_autotune"
20 info: mode="max-autotune"
21 info: config.patch("max_autotune", True)
