import torch
import torch._inductor.config as inductor_config

inductor_config.max_autotune_gemm_backends = "CUTLASS"
inductor_config.max_autotune_gemm_backends = "ATEN,TRITON,CUTLASS"
inductor_config.cuda.cutlass_max_profiling_configs = 4
torch.compile(
    torch.nn.Linear(8, 8),
    options={"max_autotune_gemm_backends": "cutlass, nvgemm", "cuda.cutlass_dir": "/opt/cutlass"},
)
# output
4 crash: inductor_config.max_autotune_gemm_backends = "CUTLASS"
5 info: inductor_config.max_autotune_gemm_backends = "ATEN,TRITON,CUTLASS"
6 info: inductor_config.cuda.cutlass_max_profiling_configs = 4
9 crash: "max_autotune_gemm_backends"
9 info: "cuda.cutlass_dir"
# fixed
--- hit_lists.py
+++ hit_lists.py
@@ -1,7 +1,7 @@
 import torch
 import torch._inductor.config as inductor_config
 
-inductor_config.max_autotune_gemm_backends = "CUTLASS"
+inductor_config.max_autotune_gemm_backends = "ATEN,TRITON" if torch.version.hip is not None else "CUTLASS"
 inductor_config.max_autotune_gemm_backends = "ATEN,TRITON,CUTLASS"
 inductor_config.cuda.cutlass_max_profiling_configs = 4
 torch.compile(
