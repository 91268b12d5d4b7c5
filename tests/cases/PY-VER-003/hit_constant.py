import torch.backends.cudnn as dnn

MIN_CUDNN = 90100
if dnn.is_available() and dnn.version() < MIN_CUDNN:
    raise RuntimeError("cuDNN too old")
# output
4 wrong-result: dnn.version() < MIN_CUDNN
# fixed
--- hit_constant.py
+++ hit_constant.py
@@ -1,5 +1,6 @@
 import torch.backends.cudnn as dnn
+from torch import version as torch_version
 
 MIN_CUDNN = 90100
-if dnn.is_available() and dnn.version() < MIN_CUDNN:
+if dnn.is_available() and torch_version.hip is None and dnn.version() < MIN_CUDNN:
     raise RuntimeError("cuDNN too old")
