import torch
import flashinfer


def run(x):
    return flashinfer.single_prefill_with_kv_cache(x, x, x)
# output
target: gaudi
2 crash: import flashinfer
# fixed
--- hit_fixed_for_gaudi.py
+++ hit_fixed_for_gaudi.py
@@ -1,5 +1,10 @@
 import torch
-import flashinfer
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+if not IS_GAUDI:
+    import flashinfer
+else:
+    flashinfer = None
 
 
 def run(x):
