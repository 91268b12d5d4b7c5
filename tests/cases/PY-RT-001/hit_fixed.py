import torch


def run(step):
    try:
        return step()
    except RuntimeError as error:
        if "CUDA out of memory" not in str(error):
            raise
        torch.cuda.empty_cache()
# output
8 crash: "CUDA out of memory" not in str(error)
# fixed
--- hit_fixed.py
+++ hit_fixed.py
@@ -5,6 +5,6 @@
     try:
         return step()
     except RuntimeError as error:
-        if "CUDA out of memory" not in str(error):
+        if "CUDA out of memory" not in str(error) and (torch.version.hip is None or "HIP out of memory" not in str(error)):
             raise
         torch.cuda.empty_cache()
