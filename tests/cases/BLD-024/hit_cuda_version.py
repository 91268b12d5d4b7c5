import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

ext_modules = []
if torch.version.cuda is not None:
    ext_modules.append(CUDAExtension("ops", ["ops.cu"]))
setup(name="ops", ext_modules=ext_modules)
# output
path: setup.py
6 crash: torch.version.cuda is not None
# fixed
--- setup.py
+++ setup.py
@@ -2,7 +2,9 @@
 from setuptools import setup
 from torch.utils.cpp_extension import CUDAExtension
 
+IS_ROCM = torch.version.hip is not None
+
 ext_modules = []
-if torch.version.cuda is not None:
+if IS_ROCM or torch.version.cuda is not None:
     ext_modules.append(CUDAExtension("ops", ["ops.cu"]))
 setup(name="ops", ext_modules=ext_modules)
