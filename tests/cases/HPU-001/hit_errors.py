import torch

try:
    torch.cuda.nvtx.range_push("step")
    seeds = torch.cuda.manual_seed_all(7)
except torch.cuda.OutOfMemoryError:
    raise
# output
target: gaudi
5 wrong-result: torch.cuda.manual_seed_all
6 info: torch.cuda.OutOfMemoryError
# fixed
--- hit_errors.py
+++ hit_errors.py
@@ -1,7 +1,9 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 try:
     torch.cuda.nvtx.range_push("step")
-    seeds = torch.cuda.manual_seed_all(7)
+    seeds = (torch.hpu if IS_GAUDI else torch.cuda).manual_seed_all(7)
 except torch.cuda.OutOfMemoryError:
     raise
