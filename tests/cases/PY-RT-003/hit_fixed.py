import torch


def watts():
    return torch.cuda.power_draw() / 1000
# output
torch: 2.9
5 wrong-result: torch.cuda.power_draw()
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -2,4 +2,4 @@
 
 
 def watts():
-    return torch.cuda.power_draw() / 1000
+    return (torch.cuda.power_draw() * 1000 if torch.version.hip is not None else torch.cuda.power_draw()) / 1000
