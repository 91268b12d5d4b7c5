import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    a = tl.load(x)
    tl.store(x, tl.dot(a, a, input_precision="tf32"))
# output
9 info: "tf32"
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -3,7 +3,15 @@
 import triton.language as tl
 
 
-@triton.jit
-def kernel(x):
-    a = tl.load(x)
-    tl.store(x, tl.dot(a, a, input_precision="tf32"))
+if torch.version.hip is None:
+
+    @triton.jit
+    def kernel(x):
+        a = tl.load(x)
+        tl.store(x, tl.dot(a, a, input_precision="tf32"))
+else:
+
+    @triton.jit
+    def kernel(x):
+        a = tl.load(x)
+        tl.store(x, tl.dot(a, a, input_precision="ieee"))
