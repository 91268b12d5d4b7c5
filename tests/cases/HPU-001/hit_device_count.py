import torch


def names():
    return [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]


def each():
    for i in range(torch.cuda.device_count()):
        torch.cuda.set_device(i)
# output
target: gaudi
5 perf: torch.cuda.device_count
9 perf: torch.cuda.device_count
# fixed
--- hit_device_count.py
+++ hit_device_count.py
@@ -1,10 +1,12 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def names():
-    return [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
+    return [(torch.hpu if IS_GAUDI else torch.cuda).get_device_name(i) for i in range((torch.hpu if IS_GAUDI else torch.cuda).device_count())]
 
 
 def each():
-    for i in range(torch.cuda.device_count()):
-        torch.cuda.set_device(i)
+    for i in range((torch.hpu if IS_GAUDI else torch.cuda).device_count()):
+        (torch.hpu if IS_GAUDI else torch.cuda).set_device(i)
