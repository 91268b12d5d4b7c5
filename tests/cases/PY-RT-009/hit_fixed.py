import ctypes

import torch


def driver(version):
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
# output
7 crash: ctypes.CDLL("libcuda.so.1")
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -4,4 +4,4 @@
 
 
 def driver(version):
-    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
+    (ctypes.CDLL("libamdhip64.so").hipDriverGetVersion if torch.version.hip is not None else ctypes.CDLL("libcuda.so.1").cuDriverGetVersion)(ctypes.byref(version))
