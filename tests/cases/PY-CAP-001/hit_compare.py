import torch
import torch as t
from torch import cuda
from torch.cuda import get_device_capability as capability

if torch.cuda.get_device_capability() >= (9, 0):
    fp8 = True
if t.cuda.get_device_capability(0)[0] < 8:
    raise RuntimeError("needs Ampere")
is_a100 = cuda.get_device_capability() == (8, 0)
supported = capability() in [(8, 0), (8, 6), (9, 0)]
backwards = (9, 0) <= capability(device=0)
# output
6 perf: torch.cuda.get_device_capability() >= (9, 0)
8 info: t.cuda.get_device_capability(0)[0] < 8
10 info: cuda.get_device_capability() == (8, 0)
11 perf: capability() in [(8, 0), (8, 6), (9, 0)]
12 perf: (9, 0) <= capability(device=0)
# fixed
--- hit_compare.py
+++ hit_compare.py
@@ -3,10 +3,10 @@
 from torch import cuda
 from torch.cuda import get_device_capability as capability
 
-if torch.cuda.get_device_capability() >= (9, 0):
+if torch.version.hip is None and torch.cuda.get_device_capability() >= (9, 0):
     fp8 = True
 if t.cuda.get_device_capability(0)[0] < 8:
     raise RuntimeError("needs Ampere")
 is_a100 = cuda.get_device_capability() == (8, 0)
-supported = capability() in [(8, 0), (8, 6), (9, 0)]
-backwards = (9, 0) <= capability(device=0)
+supported = torch.version.hip is None and capability() in [(8, 0), (8, 6), (9, 0)]
+backwards = torch.version.hip is None and (9, 0) <= capability(device=0)
