from mine import *
import torch
from pynvml import *


def total():
    nvmlInit()
    return scaled(nvmlDeviceGetCount())
# output
3 crash: from pynvml import *
# fixed
--- hit_star_and_another.py
+++ hit_star_and_another.py
@@ -1,6 +1,12 @@
 from mine import *
 import torch
-from pynvml import *
+if torch.version.hip is None:
+    from pynvml import *
+else:
+    def nvmlDeviceGetCount():
+        return torch.cuda.device_count()
+    def nvmlInit():
+        pass
 
 
 def total():
