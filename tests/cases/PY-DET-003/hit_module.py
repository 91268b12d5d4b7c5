import torch

IS_AMD = "AMD" in torch.cuda.get_device_name(0)
# output
3 crash: "AMD" in torch.cuda.get_device_name(0)
# fixed
--- hit_module.py
+++ hit_module.py
@@ -1,3 +1,3 @@
 import torch
 
-IS_AMD = "AMD" in torch.cuda.get_device_name(0)
+IS_AMD = torch.version.hip is not None or "AMD" in torch.cuda.get_device_name(0)
