import torch
import torch.distributed as dist


def start():
    dist.init_process_group("nccl")
# output
target: gaudi
6 crash: dist.init_process_group("nccl")
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,6 +1,10 @@
 import torch
 import torch.distributed as dist
 
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
 
 def start():
-    dist.init_process_group("nccl")
+    if IS_GAUDI:
+        import habana_frameworks.torch.distributed.hccl
+    dist.init_process_group("hccl" if IS_GAUDI else "nccl")
