import torch


def total_memory():
    if torch.cuda.is_available():
        import pynvml

        pynvml.nvmlInit()
        return pynvml.nvmlDeviceGetCount()
    return 0
# output
5 crash: torch.cuda.is_available()
# fixed
--- hit_nvml.py
+++ hit_nvml.py
@@ -2,7 +2,7 @@
 
 
 def total_memory():
-    if torch.cuda.is_available():
+    if torch.version.hip is None and torch.cuda.is_available():
         import pynvml
 
         pynvml.nvmlInit()
