import torch
from flash_attn import flash_attn_func


def run(x):
    return flash_attn_func(x, x, x)
# output
target: gaudi
2 crash: from flash_attn import flash_attn_func
# fixed
--- hit_fixed_for_gaudi.py
+++ hit_fixed_for_gaudi.py
@@ -1,5 +1,10 @@
 import torch
-from flash_attn import flash_attn_func
+
+IS_GAUDI = hasattr(torch, "hpu") and torch.hpu.is_available()
+if not IS_GAUDI:
+    from flash_attn import flash_attn_func
+else:
+    flash_attn_func = None
 
 
 def run(x):
