import torch
from torch.utils.data import DataLoader

x = torch.empty(4, pin_memory=True)
y = x.clone().pin_memory()
loader = DataLoader(data, pin_memory=True)
# output
target: gaudi
4 info: pin_memory=True
5 info: x.clone().pin_memory()
6 info: pin_memory=True
# fixed
--- hit_pinned.py
+++ hit_pinned.py
@@ -1,6 +1,8 @@
 import torch
 from torch.utils.data import DataLoader
 
-x = torch.empty(4, pin_memory=True)
-y = x.clone().pin_memory()
-loader = DataLoader(data, pin_memory=True)
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
+x = torch.empty(4, pin_memory=False if IS_GAUDI else True)
+y = x.clone().pin_memory("hpu") if IS_GAUDI else x.clone().pin_memory()
+loader = DataLoader(data, pin_memory=True, **({"pin_memory_device": "hpu"} if IS_GAUDI else {}))
