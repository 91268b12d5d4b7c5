import torch
from torch.utils.data import DataLoader

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
DTYPE = torch.float16 if torch.cuda.is_available() else torch.float32


def seed(n):
    torch.manual_seed(n)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(n)
        torch.backends.cudnn.deterministic = True


def report(row):
    if torch.cuda.is_available():
        row["peak"] = torch.cuda.max_memory_allocated() / 2**30


def loader(data):
    return DataLoader(data, pin_memory=torch.cuda.is_available())


def extension():
    if torch.cuda.is_available():
        from mine import fused_cuda
# output
target: gaudi
4 runs-on-cpu: torch.cuda.is_available()
5 perf: torch.cuda.is_available()
10 info: torch.cuda.is_available()
16 info: torch.cuda.is_available()
21 info: torch.cuda.is_available()
25 runs-on-cpu: torch.cuda.is_available()
# fixed
--- hit_gaudi_what_is_missed.py
+++ hit_gaudi_what_is_missed.py
@@ -1,8 +1,10 @@
 import torch
 from torch.utils.data import DataLoader
 
-DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
-DTYPE = torch.float16 if torch.cuda.is_available() else torch.float32
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
+DEVICE = torch.device(("hpu" if IS_GAUDI else "cuda") if IS_GAUDI or torch.cuda.is_available() else "cpu")
+DTYPE = torch.float16 if IS_GAUDI or torch.cuda.is_available() else torch.float32
 
 
 def seed(n):
@@ -22,5 +24,5 @@
 
 
 def extension():
-    if torch.cuda.is_available():
+    if IS_GAUDI or torch.cuda.is_available():
         from mine import fused_cuda
