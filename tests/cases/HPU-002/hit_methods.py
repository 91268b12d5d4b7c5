import torch
from torch import nn

model = nn.Linear(4, 4).cuda()
x = torch.rand(4).half().cuda(non_blocking=True)


class Trainer:
    def start(self, batch):
        self.model.cuda()
        return [t.cuda(0) for t in batch]
# output
target: gaudi
4 crash: nn.Linear(4, 4).cuda()
5 crash: torch.rand(4).half().cuda(non_blocking=True)
10 crash: self.model.cuda()
11 crash: t.cuda(0)
# fixed
--- hit_methods.py
+++ hit_methods.py
@@ -1,11 +1,13 @@
 import torch
 from torch import nn
 
-model = nn.Linear(4, 4).cuda()
-x = torch.rand(4).half().cuda(non_blocking=True)
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+
+model = nn.Linear(4, 4).to("hpu") if IS_GAUDI else nn.Linear(4, 4).cuda()
+x = torch.rand(4).half().to("hpu", non_blocking=True) if IS_GAUDI else torch.rand(4).half().cuda(non_blocking=True)
 
 
 class Trainer:
     def start(self, batch):
-        self.model.cuda()
-        return [t.cuda(0) for t in batch]
+        self.model.to("hpu") if IS_GAUDI else self.model.cuda()
+        return [t.to("hpu") if IS_GAUDI else t.cuda(0) for t in batch]
