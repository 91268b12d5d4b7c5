import torch
import pynvml


def run(x):
    return pynvml.nvmlInit()
# output
2 crash: import pynvml
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,11 @@
 import torch
-import pynvml
+if torch.version.hip is None:
+    import pynvml
+else:
+    class pynvml:  # what is asked of it here, answered by PyTorch
+        @staticmethod
+        def nvmlInit():
+            pass
 
 
 def run(x):
