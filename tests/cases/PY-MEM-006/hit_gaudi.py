import torch

free, total = torch.cuda.mem_get_info()
# output
target: gaudi
3 crash: torch.cuda.mem_get_info
# fixed
--- hit_gaudi.py
+++ hit_gaudi.py
@@ -1,3 +1,5 @@
 import torch
 
-free, total = torch.cuda.mem_get_info()
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
+free, total = (torch.hpu if IS_GAUDI else torch.cuda).mem_get_info()
