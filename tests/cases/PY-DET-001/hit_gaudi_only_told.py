import torch
from torch.cuda.amp import GradScaler


def log_every(meters, delimiter, amp, model):
    if torch.cuda.is_available():
        message = delimiter.join(["{meters}", "max mem: {memory:.0f}"])
    else:
        message = delimiter.join(["{meters}"])
    for at, one in enumerate(meters):
        if torch.cuda.is_available():
            print(message.format(meters=one, memory=torch.cuda.max_memory_allocated()))
        else:
            print(message.format(meters=one))
    if amp and torch.cuda.is_available():
        scaler = GradScaler()
    if torch.cuda.is_available():
        taken = torch.cuda.memory_allocated()
        megabytes = taken / 1024**2
        print(f"{megabytes} MB")
    if torch.cuda.is_available():
        factor = at / 2
        print(f"{factor}")
    return factor


class Averages:
    def __init__(self, pin=True):
        self.pin_memory = pin if torch.cuda.is_available() else False
        self.loader = {"num_workers": 2, "pin_memory": True} if torch.cuda.is_available() else {}
        self.model = {"num_workers": 2, "device": "cuda"} if torch.cuda.is_available() else {}
# output
target: gaudi
6 info: torch.cuda.is_available()
11 info: torch.cuda.is_available()
15 info: torch.cuda.is_available()
17 info: torch.cuda.is_available()
21 runs-on-cpu: torch.cuda.is_available()
29 info: torch.cuda.is_available()
30 info: torch.cuda.is_available()
31 runs-on-cpu: torch.cuda.is_available()
# fixed
--- hit_gaudi_only_told.py
+++ hit_gaudi_only_told.py
@@ -1,5 +1,7 @@
 import torch
 from torch.cuda.amp import GradScaler
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def log_every(meters, delimiter, amp, model):
@@ -18,7 +20,7 @@
         taken = torch.cuda.memory_allocated()
         megabytes = taken / 1024**2
         print(f"{megabytes} MB")
-    if torch.cuda.is_available():
+    if IS_GAUDI or torch.cuda.is_available():
         factor = at / 2
         print(f"{factor}")
     return factor
@@ -28,4 +30,4 @@
     def __init__(self, pin=True):
         self.pin_memory = pin if torch.cuda.is_available() else False
         self.loader = {"num_workers": 2, "pin_memory": True} if torch.cuda.is_available() else {}
-        self.model = {"num_workers": 2, "device": "cuda"} if torch.cuda.is_available() else {}
+        self.model = {"num_workers": 2, "device": "hpu" if IS_GAUDI else "cuda"} if IS_GAUDI or torch.cuda.is_available() else {}
