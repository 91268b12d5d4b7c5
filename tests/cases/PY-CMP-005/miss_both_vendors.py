import torch._inductor.config as inductor_config

inductor_config.max_autotune_gemm_backends = "ATEN,TRITON"
inductor_config.max_autotune_gemm_backends = "CK,TRITON"
print("CUTLASS" in inductor_config.max_autotune_gemm_backends)
inductor_config.cuda_graphs_note = "CUTLASS"
# output
