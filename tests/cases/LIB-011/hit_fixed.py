import torch
import tensorrt as trt


def run(x):
    return trt.Logger()
# output
2 crash: import tensorrt as trt
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,8 @@
 import torch
-import tensorrt as trt
+if torch.version.hip is None:
+    import tensorrt as trt
+else:
+    trt = None
 
 
 def run(x):
