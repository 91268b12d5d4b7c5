import torch
from packaging.version import parse

if parse(torch.version.cuda) >= parse("12.1"):
    flags = ["-O3"]
# output
4 crash: parse(torch.version.cuda)
# fixed
--- hit_parse.py
+++ hit_parse.py
@@ -1,5 +1,5 @@
 import torch
 from packaging.version import parse
 
-if parse(torch.version.cuda) >= parse("12.1"):
+if torch.version.hip is None and parse(torch.version.cuda) >= parse("12.1"):
     flags = ["-O3"]
