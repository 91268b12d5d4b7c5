import subprocess

from torch.utils.cpp_extension import CUDA_HOME


def nvcc_version(cuda_dir):
    return subprocess.check_output([cuda_dir + "/bin/nvcc", "-V"], text=True)


version = nvcc_version(CUDA_HOME)
# output
path: setup.py
10 build-fail: nvcc_version(CUDA_HOME)
# fixed
--- setup.py
+++ setup.py
@@ -1,10 +1,11 @@
 import subprocess
 
-from torch.utils.cpp_extension import CUDA_HOME
+from torch.utils.cpp_extension import CUDA_HOME, IS_HIP_EXTENSION
 
 
 def nvcc_version(cuda_dir):
     return subprocess.check_output([cuda_dir + "/bin/nvcc", "-V"], text=True)
 
 
-version = nvcc_version(CUDA_HOME)
+if not IS_HIP_EXTENSION:
+    version = nvcc_version(CUDA_HOME)
