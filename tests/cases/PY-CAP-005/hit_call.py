import torch

flags = torch.cuda.get_gencode_flags().split()
# output
3 crash: torch.cuda.get_gencode_flags()
# fixed
--- hit_call.py
+++ hit_call.py
@@ -1,3 +1,3 @@
 import torch
 
-flags = torch.cuda.get_gencode_flags().split()
+flags = ("" if torch.version.hip is not None else torch.cuda.get_gencode_flags()).split()
