import torch


def build(rank, device="cuda", *, torch_device: str = "cuda:0"):
    device_of_rank = f"cuda:{rank}"
    there = torch.empty(1, device=device), torch.empty(1, device=torch_device)
    return there, torch.empty(1, device=device_of_rank if rank else "cuda")


def default_device():
    return "cuda"
# output
target: gaudi
4 crash: "cuda"
4 crash: "cuda:0"
5 crash: f"cuda:{rank}"
7 crash: "cuda"
11 crash: "cuda"
# fixed
--- hit_defaults.py
+++ hit_defaults.py
@@ -1,11 +1,13 @@
 import torch
 
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
-def build(rank, device="cuda", *, torch_device: str = "cuda:0"):
-    device_of_rank = f"cuda:{rank}"
+
+def build(rank, device=("hpu" if IS_GAUDI else "cuda"), *, torch_device: str = ("hpu" if IS_GAUDI else "cuda:0")):
+    device_of_rank = "hpu" if IS_GAUDI else f"cuda:{rank}"
     there = torch.empty(1, device=device), torch.empty(1, device=torch_device)
-    return there, torch.empty(1, device=device_of_rank if rank else "cuda")
+    return there, torch.empty(1, device=device_of_rank if rank else ("hpu" if IS_GAUDI else "cuda"))
 
 
 def default_device():
-    return "cuda"
+    return "hpu" if IS_GAUDI else "cuda"
