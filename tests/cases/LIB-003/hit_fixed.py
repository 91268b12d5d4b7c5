import torch
import cupy


def run(x):
    return cupy.asarray(x)
# output
2 crash: import cupy
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,11 @@
 import torch
-import cupy
+if torch.version.hip is None:
+    import cupy
+else:
+    try:
+        import cupy
+    except ImportError:
+        cupy = None
 
 
 def run(x):
