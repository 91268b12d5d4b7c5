import os

import torch

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128,expandable_segments:True"
# output
torch: 2.12
rocm: 7.0
5 wrong-result: os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128,expandable_segments:True"
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -2,4 +2,4 @@
 
 import torch
 
-os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128,expandable_segments:True"
+os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128" if torch.version.hip is not None else "max_split_size_mb:128,expandable_segments:True"
