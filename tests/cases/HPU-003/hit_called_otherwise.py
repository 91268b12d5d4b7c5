import torch


def cuda_name():
    return torch.device("cuda")


def best():
    if torch.cuda.is_available():
        return cuda_name()
    return cuda_name()


def handed(register):
    register(other_name)


def other_name():
    return torch.device("cuda")
# output
target: gaudi
5 crash: "cuda"
19 crash: "cuda"
# fixed
--- hit_called_otherwise.py
+++ hit_called_otherwise.py
@@ -1,12 +1,14 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def cuda_name():
-    return torch.device("cuda")
+    return torch.device("hpu" if IS_GAUDI else "cuda")
 
 
 def best():
-    if torch.cuda.is_available():
+    if IS_GAUDI or torch.cuda.is_available():
         return cuda_name()
     return cuda_name()
 
@@ -16,4 +18,4 @@
 
 
 def other_name():
-    return torch.device("cuda")
+    return torch.device("hpu" if IS_GAUDI else "cuda")
