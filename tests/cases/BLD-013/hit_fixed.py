import torch
from packaging.version import Version
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

flags = []
if torch.version.hip is not None and Version(torch.version.hip) >= Version("6.0"):
    flags.append("-DNEW_HIP")
setup(name="ops", ext_modules=[CUDAExtension("ops", ["ops.cu"], extra_compile_args=flags)])
# output
path: setup.py
7 build-fail: Version(torch.version.hip)
# fixed
--- setup.py
+++ setup.py
@@ -3,7 +3,9 @@
 from setuptools import setup
 from torch.utils.cpp_extension import BuildExtension, CUDAExtension
 
+IS_ROCM = torch.version.hip is not None
+
 flags = []
-if torch.version.hip is not None and Version(torch.version.hip) >= Version("6.0"):
+if torch.version.hip is not None and Version(torch.version.hip.split("-")[0]) >= Version("6.0"):
     flags.append("-DNEW_HIP")
 setup(name="ops", ext_modules=[CUDAExtension("ops", ["ops.cu"], extra_compile_args=flags)])
