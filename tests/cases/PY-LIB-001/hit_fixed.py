import torch
import pynvml


def run(x):
    return pynvml.nvmlInit()
# output
2 crash: import pynvml
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,8 @@
 import torch
-import pynvml
+if torch.version.hip is None:
+    import pynvml
+else:
+    from rewarp_runtime import nvml as pynvml
 
 
 def run(x):
