import torch
from torch import device as Device

a = torch.device("hip")
b = Device(f"rocm:{0}")
x = torch.zeros(3, device="hip:0")
y = x.to("rocm")
z = x.to(device="hip")
# output
4 crash: "hip"
5 crash: f"rocm:{0}"
6 crash: "hip:0"
7 crash: "rocm"
8 crash: "hip"
# fixed
--- hit_device.py
+++ hit_device.py
@@ -1,8 +1,8 @@
 import torch
 from torch import device as Device
 
-a = torch.device("hip")
+a = torch.device("cuda" if torch.version.hip is not None else "hip")
 b = Device(f"rocm:{0}")
-x = torch.zeros(3, device="hip:0")
-y = x.to("rocm")
-z = x.to(device="hip")
+x = torch.zeros(3, device="cuda:0" if torch.version.hip is not None else "hip:0")
+y = x.to("cuda" if torch.version.hip is not None else "rocm")
+z = x.to(device="cuda" if torch.version.hip is not None else "hip")
