import torch

torch.cuda.set_device("rocm:0")
with torch.cuda.device("hip"):
    torch.cuda.set_device("cuda:0")
# output
3 crash: "rocm:0"
4 crash: "hip"
# fixed
--- hit_set_device.py
+++ hit_set_device.py
@@ -1,5 +1,5 @@
 import torch
 
-torch.cuda.set_device("rocm:0")
-with torch.cuda.device("hip"):
+torch.cuda.set_device("cuda:0" if torch.version.hip is not None else "rocm:0")
+with torch.cuda.device("cuda" if torch.version.hip is not None else "hip"):
     torch.cuda.set_device("cuda:0")
