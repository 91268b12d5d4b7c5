import torch


def move(x):
    if torch.cuda.current_device != x.device:
        torch.cuda.set_device(x.device)
    if x.device.type != "cuda":
        raise ValueError(x.device)
    torch.cuda.synchronize()
    return torch.cuda.get_device_capability(), torch.cuda.CUDAGraph
# output
target: gaudi
5 wrong-result: torch.cuda.current_device
6 crash: torch.cuda.set_device
9 crash: torch.cuda.synchronize
10 crash: torch.cuda.get_device_capability
10 crash: torch.cuda.CUDAGraph
# fixed
--- hit_compared.py
+++ hit_compared.py
@@ -1,10 +1,12 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def move(x):
-    if torch.cuda.current_device != x.device:
-        torch.cuda.set_device(x.device)
+    if (torch.hpu if IS_GAUDI else torch.cuda).current_device != x.device:
+        (torch.hpu if IS_GAUDI else torch.cuda).set_device(x.device)
     if x.device.type != "cuda":
         raise ValueError(x.device)
-    torch.cuda.synchronize()
-    return torch.cuda.get_device_capability(), torch.cuda.CUDAGraph
+    (torch.hpu if IS_GAUDI else torch.cuda).synchronize()
+    return torch.cuda.get_device_capability(), (torch.hpu.HPUGraph if IS_GAUDI else torch.cuda.CUDAGraph)
