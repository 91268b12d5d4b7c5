import torch


def train(model, optimizer, x):
    model = model.to("hpu")
    loss = model(x.to("hpu")).sum()
    loss.backward()
    optimizer.step()
# output
target: gaudi
7 info: loss.backward()
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,8 +1,16 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def train(model, optimizer, x):
     model = model.to("hpu")
     loss = model(x.to("hpu")).sum()
     loss.backward()
+    if IS_GAUDI:
+        import habana_frameworks.torch.core as htcore
+        htcore.mark_step()
     optimizer.step()
+    if IS_GAUDI:
+        import habana_frameworks.torch.core as htcore
+        htcore.mark_step()
