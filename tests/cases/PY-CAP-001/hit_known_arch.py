import torch

has_fp8 = torch.cuda.get_device_capability() >= (9, 0)
# output
arch: gfx90a
3 wrong-result: torch.cuda.get_device_capability() >= (9, 0)
# fixed
--- hit_known_arch.py
+++ hit_known_arch.py
@@ -1,3 +1,3 @@
 import torch
 
-has_fp8 = torch.cuda.get_device_capability() >= (9, 0)
+has_fp8 = torch.version.hip is None and torch.cuda.get_device_capability() >= (9, 0)
