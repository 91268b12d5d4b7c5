import torch
from torch.backends import cuda as backend

torch.backends.cuda.matmul.fp32_precision = "bfx9"
backend.matmul.fp32_precision = "bfx9"
# output
4 crash: torch.backends.cuda.matmul.fp32_precision = "bfx9"
5 crash: backend.matmul.fp32_precision = "bfx9"
# fixed
--- hit_assign.py
+++ hit_assign.py
@@ -1,5 +1,5 @@
 import torch
 from torch.backends import cuda as backend
 
-torch.backends.cuda.matmul.fp32_precision = "bfx9"
-backend.matmul.fp32_precision = "bfx9"
+torch.backends.cuda.matmul.fp32_precision = "ieee" if torch.version.hip is not None else "bfx9"
+backend.matmul.fp32_precision = "ieee" if torch.version.hip is not None else "bfx9"
