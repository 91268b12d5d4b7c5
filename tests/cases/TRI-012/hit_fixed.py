import torch
import triton


def check():
    assert triton.runtime.driver.active.get_current_target().backend == "cuda"
# output
6 crash: triton.runtime.driver.active.get_current_target().backend == "cuda"
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -3,4 +3,4 @@
 
 
 def check():
-    assert triton.runtime.driver.active.get_current_target().backend == "cuda"
+    assert torch.version.hip is not None or triton.runtime.driver.active.get_current_target().backend == "cuda"
