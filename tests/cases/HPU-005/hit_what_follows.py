import torch


def one_hot(tensor, n):
    mask = torch.zeros(n)
    if tensor.is_cuda:
        mask = mask.cuda()
    return mask.scatter_(0, tensor, 1.0)


def moved_itself(x, y):
    if x.is_cuda:
        x = x.cuda(1)
    if x.is_cuda:
        y = y.cuda()
        y = fused(y)
    if x.is_cuda:
        y = y.cuda()
    else:
        y = other(y)
    return x, y
# output
target: gaudi
6 info: tensor.is_cuda
12 perf: x.is_cuda
14 perf: x.is_cuda
17 perf: x.is_cuda
# fixed
--- hit_what_follows.py
+++ hit_what_follows.py
@@ -1,10 +1,12 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def one_hot(tensor, n):
     mask = torch.zeros(n)
-    if tensor.is_cuda:
-        mask = mask.cuda()
+    if (tensor.device.type == "hpu" if IS_GAUDI else tensor.is_cuda):
+        mask = mask.to("hpu") if IS_GAUDI else mask.cuda()
     return mask.scatter_(0, tensor, 1.0)
 
 
