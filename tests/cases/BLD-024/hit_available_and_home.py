import glob

import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension

modules = []
if torch.cuda.is_available() and CUDA_HOME is not None:
    modules.append(CUDAExtension("ext._C", ["ext.cpp", "kernel.cu"]))
setup(name="ext", ext_modules=modules, cmdclass={"build_ext": BuildExtension})
# output
path: setup.py
8 crash: torch.cuda.is_available() and CUDA_HOME is not None
# fixed
--- setup.py
+++ setup.py
@@ -4,7 +4,9 @@
 from setuptools import setup
 from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension
 
+IS_ROCM = torch.version.hip is not None
+
 modules = []
-if torch.cuda.is_available() and CUDA_HOME is not None:
+if IS_ROCM or (torch.cuda.is_available() and CUDA_HOME is not None):
     modules.append(CUDAExtension("ext._C", ["ext.cpp", "kernel.cu"]))
 setup(name="ext", ext_modules=modules, cmdclass={"build_ext": BuildExtension})
