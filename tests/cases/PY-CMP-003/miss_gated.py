import torch

_is_rocm = torch.version.hip is not None
torch._inductor.config.memory_planning = False if _is_rocm else True
if not _is_rocm:
    torch._inductor.config.memory_planning = True
# output
