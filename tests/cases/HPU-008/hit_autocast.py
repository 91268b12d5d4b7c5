import torch
from torch.amp import autocast

with torch.autocast("cuda", dtype=torch.bfloat16):
    pass
with autocast(device_type="cuda"):
    pass
scaler = torch.amp.GradScaler("cuda")
# output
target: gaudi
4 perf: torch.autocast("cuda", dtype=torch.bfloat16)
6 perf: autocast(device_type="cuda")
8 perf: torch.amp.GradScaler("cuda")
# fixed
--- hit_autocast.py
+++ hit_autocast.py
@@ -1,8 +1,10 @@
 import torch
 from torch.amp import autocast
 
-with torch.autocast("cuda", dtype=torch.bfloat16):
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
+with torch.autocast("hpu" if IS_GAUDI else "cuda", dtype=torch.bfloat16):
     pass
-with autocast(device_type="cuda"):
+with autocast(device_type="hpu" if IS_GAUDI else "cuda"):
     pass
 scaler = torch.amp.GradScaler("cuda")
