import torch
from torch.cuda.amp import custom_fwd


def norm(x):
    with torch.autocast(device_type="cuda", enabled=False):
        return x.float().norm()


forward = custom_fwd(norm)
# output
target: gaudi
6 perf: torch.autocast(device_type="cuda", enabled=False)
10 info: custom_fwd
# fixed
--- hit_switched_off.py
+++ hit_switched_off.py
@@ -1,9 +1,11 @@
 import torch
 from torch.cuda.amp import custom_fwd
 
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
 
 def norm(x):
-    with torch.autocast(device_type="cuda", enabled=False):
+    with torch.autocast(device_type="hpu" if IS_GAUDI else "cuda", enabled=False):
         return x.float().norm()
 
 
