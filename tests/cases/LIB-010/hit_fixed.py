import torch
import flashinfer


def run(x):
    return flashinfer.single_prefill_with_kv_cache(x, x, x)
# output
2 crash: import flashinfer
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,11 @@
 import torch
-import flashinfer
+if torch.version.hip is None:
+    import flashinfer
+else:
+    try:
+        import flashinfer
+    except ImportError:
+        flashinfer = None
 
 
 def run(x):
