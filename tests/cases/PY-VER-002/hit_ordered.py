import torch as t
from torch.version import cuda

if t.version.cuda >= "11.8":
    fp8 = True
version = t.version.cuda
old = "11.0" > version
new = cuda > "12"
# output
4 crash: t.version.cuda >= "11.8"
7 crash: "11.0" > version
8 crash: cuda > "12"
# fixed
--- hit_ordered.py
+++ hit_ordered.py
@@ -1,8 +1,8 @@
 import torch as t
 from torch.version import cuda
 
-if t.version.cuda >= "11.8":
+if t.version.hip is None and t.version.cuda >= "11.8":
     fp8 = True
 version = t.version.cuda
-old = "11.0" > version
-new = cuda > "12"
+old = t.version.hip is None and "11.0" > version
+new = t.version.hip is None and cuda > "12"
