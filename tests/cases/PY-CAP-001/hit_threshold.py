import torch
from kernels import SUPPORTED_CAPABILITIES


def check(min_capability, compute_capability):
    if torch.cuda.get_device_capability() < min_capability:
        raise RuntimeError("too old")
    if torch.cuda.get_device_capability() not in SUPPORTED_CAPABILITIES:
        raise RuntimeError("not supported")
    return compute_capability >= 90
# output
6 perf: torch.cuda.get_device_capability() < min_capability
8 perf: torch.cuda.get_device_capability() not in SUPPORTED_CAPABILITIES
10 perf: compute_capability >= 90
# fixed
--- hit_threshold.py
+++ hit_threshold.py
@@ -7,4 +7,4 @@
         raise RuntimeError("too old")
     if torch.cuda.get_device_capability() not in SUPPORTED_CAPABILITIES:
         raise RuntimeError("not supported")
-    return compute_capability >= 90
+    return torch.version.hip is None and compute_capability >= 90
