import torch
from apex.normalization import FusedLayerNorm


def run(x):
    return FusedLayerNorm(8)(x)
# output
2 crash: from apex.normalization import FusedLayerNorm
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,11 @@
 import torch
-from apex.normalization import FusedLayerNorm
+if torch.version.hip is None:
+    from apex.normalization import FusedLayerNorm
+else:
+    try:
+        from apex.normalization import FusedLayerNorm
+    except ImportError:
+        FusedLayerNorm = None
 
 
 def run(x):
