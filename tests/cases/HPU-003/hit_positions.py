import torch

DEVICE = "cuda"
x = torch.zeros(8, device="cuda")
y = x.to("cuda:1")
state = torch.load("a.pt", map_location=torch.device("cuda"))
options = {"device": "cuda", "name": "cuda"}
# output
target: gaudi
3 crash: "cuda"
4 crash: "cuda"
5 crash: "cuda:1"
6 crash: "cuda"
7 crash: "cuda"
# fixed
--- hit_positions.py
+++ hit_positions.py
@@ -1,7 +1,9 @@
 import torch
 
-DEVICE = "cuda"
-x = torch.zeros(8, device="cuda")
-y = x.to("cuda:1")
-state = torch.load("a.pt", map_location=torch.device("cuda"))
-options = {"device": "cuda", "name": "cuda"}
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
+DEVICE = "hpu" if IS_GAUDI else "cuda"
+x = torch.zeros(8, device="hpu" if IS_GAUDI else "cuda")
+y = x.to("hpu" if IS_GAUDI else "cuda:1")
+state = torch.load("a.pt", map_location=torch.device("hpu" if IS_GAUDI else "cuda"))
+options = {"device": "hpu" if IS_GAUDI else "cuda", "name": "cuda"}
