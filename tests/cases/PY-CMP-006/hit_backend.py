import torch
import torch_tensorrt


@torch.compile(backend="tensorrt")
def step(x):
    return x * 2


fast = torch.compile(step, backend="torch_tensorrt", dynamic=False)
# output
5 crash: backend="tensorrt"
10 crash: backend="torch_tensorrt"
# fixed
--- hit_backend.py
+++ hit_backend.py
@@ -1,5 +1,8 @@
 import torch
-import torch_tensorrt
+if torch.version.hip is None:
+    import torch_tensorrt
+else:
+    torch_tensorrt = None
 
 
 @torch.compile(backend="tensorrt")
@@ -7,4 +10,4 @@
     return x * 2
 
 
-fast = torch.compile(step, backend="torch_tensorrt", dynamic=False)
+fast = torch.compile(step, backend="inductor" if torch.version.hip is not None else "torch_tensorrt", dynamic=False)
