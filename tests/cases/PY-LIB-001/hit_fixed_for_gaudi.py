import torch
import pynvml


def run(x):
    return pynvml.nvmlInit()
# output
target: gaudi
2 crash: import pynvml
# fixed
--- hit_fixed_for_gaudi.py
+++ hit_fixed_for_gaudi.py
@@ -1,5 +1,10 @@
 import torch
-import pynvml
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+if not IS_GAUDI:
+    import pynvml
+else:
+    pynvml = None
 
 
 def run(x):
