import torch


def kernel_for(device):
    props = torch.cuda.get_device_properties(device)
    if props.major == 9 and props.minor == 0:
        return "hopper"
    if torch.cuda.get_device_properties(device).major >= 10:
        return "blackwell"
    return "generic"
# output
6 wrong-result: props.major == 9
8 perf: torch.cuda.get_device_properties(device).major >= 10
# fixed
--- hit_properties.py
+++ hit_properties.py
@@ -3,8 +3,8 @@
 
 def kernel_for(device):
     props = torch.cuda.get_device_properties(device)
-    if props.major == 9 and props.minor == 0:
+    if torch.version.hip is None and props.major == 9 and props.minor == 0:
         return "hopper"
-    if torch.cuda.get_device_properties(device).major >= 10:
+    if torch.version.hip is None and torch.cuda.get_device_properties(device).major >= 10:
         return "blackwell"
     return "generic"
