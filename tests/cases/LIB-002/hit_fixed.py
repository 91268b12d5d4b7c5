import torch
import flash_attn_interface


def run(x):
    return flash_attn_interface.flash_attn_func(x, x, x)
# output
2 crash: import flash_attn_interface
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,5 +1,8 @@
 import torch
-import flash_attn_interface
+if torch.version.hip is None:
+    import flash_attn_interface
+else:
+    flash_attn_interface = None
 
 
 def run(x):
