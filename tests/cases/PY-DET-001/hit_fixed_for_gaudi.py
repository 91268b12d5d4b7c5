import torch


def device():
    return "accelerated" if torch.cuda.is_available() else "slow"
# output
target: gaudi
5 runs-on-cpu: torch.cuda.is_available()
# fixed
--- hit_fixed_for_gaudi.py
+++ hit_fixed_for_gaudi.py
@@ -1,5 +1,7 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def device():
-    return "accelerated" if torch.cuda.is_available() else "slow"
+    return "accelerated" if IS_GAUDI or torch.cuda.is_available() else "slow"
