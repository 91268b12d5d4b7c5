import torch
from torch.backends import cuda as backend

vendor = "nvidia" if torch.backends.cuda.is_built() else "cpu"
is_nvidia = backend.is_built()


def check():
    if backend.is_built():
        import pynvml

        pynvml.nvmlInit()
# output
4 wrong-result: torch.backends.cuda.is_built()
5 wrong-result: backend.is_built()
9 wrong-result: backend.is_built()
# fixed
--- hit_vendor.py
+++ hit_vendor.py
@@ -1,12 +1,12 @@
 import torch
 from torch.backends import cuda as backend
 
-vendor = "nvidia" if torch.backends.cuda.is_built() else "cpu"
-is_nvidia = backend.is_built()
+vendor = "nvidia" if torch.version.hip is None and torch.backends.cuda.is_built() else "cpu"
+is_nvidia = torch.version.hip is None and backend.is_built()
 
 
 def check():
-    if backend.is_built():
+    if torch.version.hip is None and backend.is_built():
         import pynvml
 
         pynvml.nvmlInit()
