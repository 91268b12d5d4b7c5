import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    a = tl.load(x)
    tl.store(x, tl.dot(a, a))


def run(x):
    kernel[(1,)](x, BLOCK=64, num_warps=32)
# output
13 crash: 32
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -10,4 +10,4 @@
 
 
 def run(x):
-    kernel[(1,)](x, BLOCK=64, num_warps=32)
+    kernel[(1,)](x, BLOCK=64, num_warps=16 if torch.version.hip is not None else 32)
