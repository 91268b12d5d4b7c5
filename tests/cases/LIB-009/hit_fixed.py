import torch
from cuda import cudart


def run(x):
    return cudart.cudaGetDeviceCount()
# output
2 crash: from cuda import cudart
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,8 @@
 import torch
-from cuda import cudart
+if torch.version.hip is None:
+    from cuda import cudart
+else:
+    cudart = None
 
 
 def run(x):
