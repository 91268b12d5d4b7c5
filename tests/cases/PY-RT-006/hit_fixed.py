import torch
import nvtx


def run(x):
    return nvtx.push_range("step")
# output
2 perf: import nvtx
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,10 @@
 import torch
-import nvtx
+if torch.version.hip is None:
+    import nvtx
+else:
+    import types
+
+    nvtx = types.SimpleNamespace(push_range=lambda *args, **kwargs: None)
 
 
 def run(x):
