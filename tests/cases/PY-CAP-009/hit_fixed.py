import torch


def dtype():
    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
# output
target: gaudi
5 perf: torch.cuda.is_bf16_supported()
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,7 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def dtype():
-    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
+    return torch.bfloat16 if (torch.hpu if IS_GAUDI else torch.cuda).is_bf16_supported() else torch.float16
