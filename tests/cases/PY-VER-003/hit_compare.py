import torch
from torch.backends import cudnn

fused = torch.backends.cudnn.version() >= 8900
number = cudnn.version()
if number is not None and 8000 <= number < 9000:
    broken = True
# output
4 wrong-result: torch.backends.cudnn.version() >= 8900
6 wrong-result: 8000 <= number < 9000
# fixed
--- hit_compare.py
+++ hit_compare.py
@@ -1,7 +1,7 @@
 import torch
 from torch.backends import cudnn
 
-fused = torch.backends.cudnn.version() >= 8900
+fused = torch.version.hip is None and torch.backends.cudnn.version() >= 8900
 number = cudnn.version()
-if number is not None and 8000 <= number < 9000:
+if number is not None and torch.version.hip is None and 8000 <= number < 9000:
     broken = True
