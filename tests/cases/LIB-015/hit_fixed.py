import torch
import cudf


def run(x):
    return cudf.DataFrame(x)
# output
2 crash: import cudf
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,8 @@
 import torch
-import cudf
+if torch.version.hip is None:
+    import cudf
+else:
+    cudf = None
 
 
 def run(x):
