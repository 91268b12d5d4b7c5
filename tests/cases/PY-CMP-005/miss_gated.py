import torch
import torch._inductor.config as inductor_config

backends = "TRITON" if torch.version.hip else "CUTLASS"
inductor_config.max_autotune_gemm_backends = "TRITON" if torch.version.hip else "CUTLASS"
if torch.version.hip is None:
    inductor_config.cuda.compile_opt_level = "-O3"


class config:
    max_autotune_gemm_backends = "CUTLASS"
# output
