import torch
import transformer_engine.pytorch as te


def run(x):
    return te.Linear(8, 8)(x)
# output
2 crash: import transformer_engine.pytorch as te
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,11 @@
 import torch
-import transformer_engine.pytorch as te
+if torch.version.hip is None:
+    import transformer_engine.pytorch as te
+else:
+    try:
+        import transformer_engine.pytorch as te
+    except ImportError:
+        te = None
 
 
 def run(x):
