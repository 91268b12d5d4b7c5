import torch


class Experiment:
    def __init__(self, args):
        self.device = torch.device("cuda" if args.use_cuda else "cpu")
        self.other = torch.device("cuda" if args.deep else "cpu")
        try:
            self.model.to("cuda")
        except RuntimeError:
            print("without a card")
        try:
            self.model.to("cuda")
        except RuntimeError:
            print("no card")
            raise
        try:
            device = "cuda"
        except Exception:
            device = "cpu"
        self.model.to(device)


def optimizer(parameters, device_type="cuda", names=()):
    fused = device_type == "cuda" and names
    return torch.optim.AdamW(parameters, fused=fused)


def unused(parameters, device="cuda"):
    return parameters


def moved(parameters, device="cuda"):
    return [one.to(device) for one in parameters]
# output
target: gaudi
6 runs-on-cpu: "cuda"
7 crash: "cuda"
9 runs-on-cpu: "cuda"
13 crash: "cuda"
18 crash: "cuda"
24 info: "cuda"
29 info: "cuda"
33 crash: "cuda"
# fixed
--- hit_can_do_without.py
+++ hit_can_do_without.py
@@ -1,21 +1,23 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 class Experiment:
     def __init__(self, args):
-        self.device = torch.device("cuda" if args.use_cuda else "cpu")
-        self.other = torch.device("cuda" if args.deep else "cpu")
+        self.device = torch.device(("hpu" if IS_GAUDI else "cuda") if args.use_cuda else "cpu")
+        self.other = torch.device(("hpu" if IS_GAUDI else "cuda") if args.deep else "cpu")
         try:
-            self.model.to("cuda")
+            self.model.to("hpu" if IS_GAUDI else "cuda")
         except RuntimeError:
             print("without a card")
         try:
-            self.model.to("cuda")
+            self.model.to("hpu" if IS_GAUDI else "cuda")
         except RuntimeError:
             print("no card")
             raise
         try:
-            device = "cuda"
+            device = "hpu" if IS_GAUDI else "cuda"
         except Exception:
             device = "cpu"
         self.model.to(device)
@@ -30,5 +32,5 @@
     return parameters
 
 
-def moved(parameters, device="cuda"):
+def moved(parameters, device=("hpu" if IS_GAUDI else "cuda")):
     return [one.to(device) for one in parameters]
