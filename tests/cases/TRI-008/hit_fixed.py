import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice


@triton.jit
def kernel(x):
    tl.store(x, libdevice.tanh(tl.load(x)))
# output
4 crash: from triton.language.extra.cuda import libdevice
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,7 +1,10 @@
 import torch
 import triton
 import triton.language as tl
-from triton.language.extra.cuda import libdevice
+if torch.version.hip is None:
+    from triton.language.extra.cuda import libdevice
+else:
+    from triton.language.extra import libdevice
 
 
 @triton.jit
