from os import environ
from torch.utils import cpp_extension

environ.setdefault("CXX", "g++")
environ.update({"CXX": "x86_64-linux-gnu-g++"})
cpp_extension.load("x", ["x.cpp"])
# output
4 build-fail: environ.setdefault("CXX", "g++")
5 build-fail: "CXX"
# fixed
--- hit_setdefault.py
+++ hit_setdefault.py
@@ -1,6 +1,7 @@
 from os import environ
 from torch.utils import cpp_extension
 
-environ.setdefault("CXX", "g++")
-environ.update({"CXX": "x86_64-linux-gnu-g++"})
+if not cpp_extension.IS_HIP_EXTENSION:
+    environ.setdefault("CXX", "g++")
+    environ.update({"CXX": "x86_64-linux-gnu-g++"})
 cpp_extension.load("x", ["x.cpp"])
