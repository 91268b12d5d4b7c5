import os

import torch

devices = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
# output
5 info: os.environ.get("CUDA_VISIBLE_DEVICES", "")
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -2,4 +2,4 @@
 
 import torch
 
-devices = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
+devices = (os.environ.get("HIP_VISIBLE_DEVICES", os.environ.get("ROCR_VISIBLE_DEVICES", os.environ.get("CUDA_VISIBLE_DEVICES", ""))) if torch.version.hip is not None else os.environ.get("CUDA_VISIBLE_DEVICES", "")).split(",")
