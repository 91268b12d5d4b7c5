import torch

if torch.cuda.is_available():
    from llama_runner_cuda import Model
else:
    from llama_runner import Model
# output
3 crash: torch.cuda.is_available()
# fixed
--- hit_cuda_build.py
+++ hit_cuda_build.py
@@ -1,6 +1,6 @@
 import torch
 
-if torch.cuda.is_available():
+if torch.version.hip is None and torch.cuda.is_available():
     from llama_runner_cuda import Model
 else:
     from llama_runner import Model
