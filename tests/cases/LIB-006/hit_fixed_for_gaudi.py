import torch
from apex.normalization import FusedLayerNorm


def run(x):
    return FusedLayerNorm(8)(x)
# output
target: gaudi
2 crash: from apex.normalization import FusedLayerNorm
# fixed
--- hit_fixed_for_gaudi.py
+++ hit_fixed_for_gaudi.py
@@ -1,5 +1,10 @@
 import torch
-from apex.normalization import FusedLayerNorm
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+if not IS_GAUDI:
+    from apex.normalization import FusedLayerNorm
+else:
+    FusedLayerNorm = None
 
 
 def run(x):
