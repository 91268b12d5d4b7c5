import torch


def free():
    return torch.cuda.mem_get_info()[0]
# output
target: gaudi
5 crash: torch.cuda.mem_get_info
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,7 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def free():
-    return torch.cuda.mem_get_info()[0]
+    return (torch.hpu if IS_GAUDI else torch.cuda).mem_get_info()[0]
