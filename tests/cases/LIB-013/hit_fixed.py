import torch
import nvidia.dali.fn as fn


def run(x):
    return fn.readers.file(x)
# output
2 crash: import nvidia.dali.fn as fn
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,8 @@
 import torch
-import nvidia.dali.fn as fn
+if torch.version.hip is None:
+    import nvidia.dali.fn as fn
+else:
+    fn = None
 
 
 def run(x):
