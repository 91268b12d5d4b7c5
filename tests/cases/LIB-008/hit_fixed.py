import torch
from numba import cuda


def run(x):
    return cuda.as_cuda_array(x)
# output
2 crash: from numba import cuda
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,8 @@
 import torch
-from numba import cuda
+if torch.version.hip is None:
+    from numba import cuda
+else:
+    cuda = None
 
 
 def run(x):
