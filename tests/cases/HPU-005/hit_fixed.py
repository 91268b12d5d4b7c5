import torch


def checked(x):
    assert x.is_cuda
    return torch.relu(x)
# output
target: gaudi
5 crash: x.is_cuda
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,6 +1,8 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def checked(x):
-    assert x.is_cuda
+    assert (x.device.type == "hpu" if IS_GAUDI else x.is_cuda)
     return torch.relu(x)
