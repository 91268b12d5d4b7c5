import torch

if "+cu" not in torch.__version__:
    raise SystemExit("a CPU build")
# output
3 wrong-result: "+cu" not in torch.__version__
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -1,4 +1,4 @@
 import torch
 
-if "+cu" not in torch.__version__:
+if torch.version.hip is None and "+cu" not in torch.__version__:
     raise SystemExit("a CPU build")
