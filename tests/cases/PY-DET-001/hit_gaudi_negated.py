import torch


def launch(function, in_notebook):
    if in_notebook and (not torch.cuda.is_available() or torch.cuda.device_count() < 2):
        function()
    else:
        print("several devices")
# output
target: gaudi
5 runs-on-cpu: torch.cuda.is_available()
# fixed
--- hit_gaudi_negated.py
+++ hit_gaudi_negated.py
@@ -1,8 +1,10 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def launch(function, in_notebook):
-    if in_notebook and (not torch.cuda.is_available() or torch.cuda.device_count() < 2):
+    if in_notebook and (not (IS_GAUDI or torch.cuda.is_available()) or (torch.hpu if IS_GAUDI else torch.cuda).device_count() < 2):
         function()
     else:
         print("several devices")
