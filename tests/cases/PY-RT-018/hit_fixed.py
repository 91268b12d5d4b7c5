import ctypes

import torch

lib = ctypes.CDLL("libamdhip64.so" if torch.version.hip else "libcudart.so")


def malloc(p, n):
    return lib.cudaMalloc(p, n)
# output
9 crash: lib.cudaMalloc
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -6,4 +6,4 @@
 
 
 def malloc(p, n):
-    return lib.cudaMalloc(p, n)
+    return (lib.hipMalloc if torch.version.hip is not None else lib.cudaMalloc)(p, n)
