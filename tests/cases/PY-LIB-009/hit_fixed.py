import ctypes

import torch


def load():
    return ctypes.CDLL("libnccl.so.2")
# output
7 crash: "libnccl.so.2"
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -4,4 +4,4 @@
 
 
 def load():
-    return ctypes.CDLL("libnccl.so.2")
+    return ctypes.CDLL("librccl.so.1" if torch.version.hip is not None else "libnccl.so.2")
