import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    a = tl.load(x)
    tl.store(x, tl.dot(a, a))


def run(x):
    kernel[(1,)](x, BLOCK=64, num_ctas=2)
# output
13 crash: 2
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -10,4 +10,4 @@
 
 
 def run(x):
-    kernel[(1,)](x, BLOCK=64, num_ctas=2)
+    kernel[(1,)](x, BLOCK=64, num_ctas=1 if torch.version.hip is not None else 2)
