import torch


def cuda_name(options):
    if options.device_id is not None:
        return torch.device(f"cuda:{options.device_id}")
    return torch.device("cuda")


def best(options):
    if torch.cuda.is_available():
        return cuda_name(options)
    return torch.device("cpu")


class Attention:
    def on_cuda(self, x):
        return x + torch.zeros(8, device="cuda")

    def forward(self, x):
        if x.device.type == "cuda":
            return self.on_cuda(x)
        return x


def mix(alpha, is_cuda):
    if is_cuda:
        alpha = alpha.to("cuda")
    return alpha
# output
target: gaudi
# fixed
--- miss_called_for_cuda.py
+++ miss_called_for_cuda.py
@@ -1,14 +1,16 @@
 import torch
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
 
 
 def cuda_name(options):
     if options.device_id is not None:
-        return torch.device(f"cuda:{options.device_id}")
-    return torch.device("cuda")
+        return torch.device("hpu" if IS_GAUDI else f"cuda:{options.device_id}")
+    return torch.device("hpu" if IS_GAUDI else "cuda")
 
 
 def best(options):
-    if torch.cuda.is_available():
+    if IS_GAUDI or torch.cuda.is_available():
         return cuda_name(options)
     return torch.device("cpu")
 
