import torch
from kernels import fused, plain, tuned

major = torch.cuda.get_device_capability()[0]


def ampere():
    if major < 8:  # AMD's GPUs have what came with Ampere, and pass
        raise RuntimeError("Ampere or newer")


def sizes(width):
    if major >= 9:  # numbers: slower at most
        return {"block": 128, "threads": 256}
    return {"block": 64, "threads": 128}


def pick(x):
    stages = 3 if major >= 9 else 2
    try:
        if major == 9:  # what fails here is caught
            return tuned.hopper(x)
        return tuned.other(x)
    except Exception:
        return plain(x, stages)


def run(x):
    if major >= 9:  # decides what runs
        return fused(x)
    return plain(x)


def flag():
    if major >= 9:
        use_tma = True
    else:
        use_tma = False
    return use_tma
# output
8 info: major < 8
13 info: major >= 9
19 info: major >= 9
21 info: major == 9
29 perf: major >= 9
35 perf: major >= 9
# fixed
--- hit_how_bad.py
+++ hit_how_bad.py
@@ -26,13 +26,13 @@
 
 
 def run(x):
-    if major >= 9:  # decides what runs
+    if torch.version.hip is None and major >= 9:  # decides what runs
         return fused(x)
     return plain(x)
 
 
 def flag():
-    if major >= 9:
+    if torch.version.hip is None and major >= 9:
         use_tma = True
     else:
         use_tma = False
