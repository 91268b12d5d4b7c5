import os

import torch


def pin(rank):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(rank)
# output
rocm: 10.1
7 wrong-result: os.environ["CUDA_VISIBLE_DEVICES"] = str(rank)
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -5,3 +5,5 @@
 
 def pin(rank):
     os.environ["CUDA_VISIBLE_DEVICES"] = str(rank)
+    if torch.version.hip is not None:
+        os.environ["HIP_VISIBLE_DEVICES"] = str(rank)
