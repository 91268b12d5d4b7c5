import torch
from flash_attn import flash_attn_func


def run(x):
    return flash_attn_func(x, x, x)
# output
arch: gfx1030
2 crash: from flash_attn import flash_attn_func
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,8 @@
 import torch
-from flash_attn import flash_attn_func
+if torch.version.hip is None:
+    from flash_attn import flash_attn_func
+else:
+    from rewarp_runtime import flash_attn_func
 
 
 def run(x):
