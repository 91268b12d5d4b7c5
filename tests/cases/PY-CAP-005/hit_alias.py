from torch.cuda import get_gencode_flags as gencode

extra = {"nvcc": [gencode()]}
# output
3 crash: gencode()
# fixed
--- hit_alias.py
+++ hit_alias.py
@@ -1,3 +1,4 @@
 from torch.cuda import get_gencode_flags as gencode
+from torch import version as torch_version
 
-extra = {"nvcc": [gencode()]}
+extra = {"nvcc": ["" if torch_version.hip is not None else gencode()]}
