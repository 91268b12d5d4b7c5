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
5 perf: inductor_config.max_autotune = True
6 perf: config.max_autotune_gemm = True
9 perf: mode="max-autotune-no-cudagraphs"
14 perf: max_autotune_pointwise=True
16 perf: "max_autotune"
19 perf: "max_autotune"
20 perf: mode="max-autotune"
21 perf: config.patch("max_autotune", True)
