import subprocess

import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension

version = subprocess.check_output([CUDA_HOME + "/bin/nvcc", "-V"], universal_newlines=True)
print("built with", version)
setup(name="ops", ext_modules=[CUDAExtension("ops", ["ops.cu"])], cmdclass={"build_ext": BuildExtension})
# output
path: setup.py
7 crash: subprocess.check_output([CUDA_HOME + "/bin/nvcc", "-V"], universal_newlines=True)
# fixed
--- setup.py
+++ setup.py
@@ -4,6 +4,9 @@
 from setuptools import setup
 from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension
 
-version = subprocess.check_output([CUDA_HOME + "/bin/nvcc", "-V"], universal_newlines=True)
-print("built with", version)
+IS_ROCM = torch.version.hip is not None
+
+if not IS_ROCM:
+    version = subprocess.check_output([CUDA_HOME + "/bin/nvcc", "-V"], universal_newlines=True)
+    print("built with", version)
 setup(name="ops", ext_modules=[CUDAExtension("ops", ["ops.cu"])], cmdclass={"build_ext": BuildExtension})
