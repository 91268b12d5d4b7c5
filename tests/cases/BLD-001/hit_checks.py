from torch.utils import cpp_extension



def version():
    cuda_home = cpp_extension.CUDA_HOME
    if cuda_home is None:
        raise RuntimeError("CUDA_HOME is not set")
    return cuda_home + "/version.txt"


assert cpp_extension.CUDA_HOME is not None, "no CUDA"
# output
7 build-fail: cuda_home
9 build-fail: cuda_home + "/version.txt"
12 build-fail: cpp_extension.CUDA_HOME
# fixed
--- hit_checks.py
+++ hit_checks.py
@@ -4,9 +4,9 @@
 
 def version():
     cuda_home = cpp_extension.CUDA_HOME
-    if cuda_home is None:
+    if not cpp_extension.IS_HIP_EXTENSION and cuda_home is None:
         raise RuntimeError("CUDA_HOME is not set")
     return cuda_home + "/version.txt"
 
 
-assert cpp_extension.CUDA_HOME is not None, "no CUDA"
+assert cpp_extension.IS_HIP_EXTENSION or cpp_extension.CUDA_HOME is not None, "no CUDA"
