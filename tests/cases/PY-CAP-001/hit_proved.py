import torch

if torch.cuda.get_device_capability() >= (9, 0):
    import flashinfer
else:
    import torch.nn.functional as flashinfer

if torch.cuda.get_device_capability() >= (9, 0):
    from kernels import hopper

fp8 = torch.cuda.get_device_capability() >= (8, 9)
# output
3 wrong-result: torch.cuda.get_device_capability() >= (9, 0)
8 perf: torch.cuda.get_device_capability() >= (9, 0)
11 info: torch.cuda.get_device_capability() >= (8, 9)
# fixed
--- hit_proved.py
+++ hit_proved.py
@@ -1,11 +1,11 @@
 import torch
 
-if torch.cuda.get_device_capability() >= (9, 0):
+if torch.version.hip is None and torch.cuda.get_device_capability() >= (9, 0):
     import flashinfer
 else:
     import torch.nn.functional as flashinfer
 
-if torch.cuda.get_device_capability() >= (9, 0):
+if torch.version.hip is None and torch.cuda.get_device_capability() >= (9, 0):
     from kernels import hopper
 
 fp8 = torch.cuda.get_device_capability() >= (8, 9)
