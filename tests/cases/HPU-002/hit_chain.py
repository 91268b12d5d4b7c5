import torch


def load(path):
    state = torch.load(path)
    return state["weight"].float().cuda()
# output
target: gaudi
6 crash: state["weight"].float().cuda()
# fixed
--- hit_chain.py
+++ hit_chain.py
@@ -1,6 +1,8 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def load(path):
     state = torch.load(path)
-    return state["weight"].float().cuda()
+    return state["weight"].float().to("hpu") if IS_GAUDI else state["weight"].float().cuda()
