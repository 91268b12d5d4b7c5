import torch

bf16 = torch.cuda.is_bf16_supported()
# output
target: gaudi
3 perf: torch.cuda.is_bf16_supported()
# fixed
--- hit_gaudi.py
+++ hit_gaudi.py
@@ -1,3 +1,5 @@
 import torch
 
-bf16 = torch.cuda.is_bf16_supported()
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
+bf16 = (torch.hpu if IS_GAUDI else torch.cuda).is_bf16_supported()
