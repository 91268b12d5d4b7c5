import torch
from pynvml import *

nvmlInit()
card = nvmlDeviceGetHandleByIndex(0)
info = nvmlDeviceGetMemoryInfo(card)
print(f"total: {info.total / 10 ** 9}")
# output
2 crash: from pynvml import *
# fixed
--- hit_star.py
+++ hit_star.py
@@ -1,5 +1,20 @@
 import torch
-from pynvml import *
+if torch.version.hip is None:
+    from pynvml import *
+else:
+    from types import SimpleNamespace
+    def nvmlDeviceGetHandleByIndex(index):
+        import os
+        seen = os.environ.get
+        for visible in (seen("ROCR_VISIBLE_DEVICES"), seen("HIP_VISIBLE_DEVICES") or seen("CUDA_VISIBLE_DEVICES")):
+            cards = (visible or "").replace(" ", "").split(",")
+            index = cards.index(str(index)) if str(index) in cards else index
+        return index
+    def nvmlDeviceGetMemoryInfo(card):
+        free, total = torch.cuda.mem_get_info(card)
+        return SimpleNamespace(total=total, free=free, used=total - free)
+    def nvmlInit():
+        pass
 
 nvmlInit()
 card = nvmlDeviceGetHandleByIndex(0)
