import torch


class Rotation:
    def cuda(self):
        return Rotation(self.matrix.cuda())

    def moved(self):
        return self.matrix.cuda()
# output
target: gaudi
6 info: self.matrix.cuda()
9 crash: self.matrix.cuda()
# fixed
--- hit_own_method.py
+++ hit_own_method.py
@@ -1,4 +1,6 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 class Rotation:
@@ -6,4 +8,4 @@
         return Rotation(self.matrix.cuda())
 
     def moved(self):
-        return self.matrix.cuda()
+        return self.matrix.to("hpu") if IS_GAUDI else self.matrix.cuda()
