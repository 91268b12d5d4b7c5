import torch

device = torch.device("hip" if torch.version.hip else "cuda")
kind = "rocm" if torch.version.hip else "cuda"
x = torch.zeros(3, device=kind)
# output
3 crash: "hip"
4 crash: "rocm"
# fixed
--- hit_conditional.py
+++ hit_conditional.py
@@ -1,5 +1,5 @@
 import torch
 
-device = torch.device("hip" if torch.version.hip else "cuda")
-kind = "rocm" if torch.version.hip else "cuda"
+device = torch.device(("cuda" if torch.version.hip is not None else "hip") if torch.version.hip else "cuda")
+kind = ("cuda" if torch.version.hip is not None else "rocm") if torch.version.hip else "cuda"
 x = torch.zeros(3, device=kind)
