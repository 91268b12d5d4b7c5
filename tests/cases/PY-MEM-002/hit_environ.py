import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
import torch as t

t.cuda.memory._set_allocator_settings("expandable_segments:True")
# output
torch: 2.12
rocm: 7.1
3 crash: os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
6 crash: t.cuda.memory._set_allocator_settings("expandable_segments:True")
# fixed
--- hit_environ.py
+++ hit_environ.py
@@ -3,4 +3,4 @@
 os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
 import torch as t
 
-t.cuda.memory._set_allocator_settings("expandable_segments:True")
+t.cuda.memory._set_allocator_settings("expandable_segments:False" if t.version.hip is not None else "expandable_segments:True")
