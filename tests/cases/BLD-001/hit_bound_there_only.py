from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension

from versions import toolkit_version

flags = []
if CUDA_HOME is not None:
    _, version = toolkit_version(CUDA_HOME)
if version >= (11, 8):
    flags.append("-DNEW")
setup(name="ops", ext_modules=[CUDAExtension("ops", ["ops.cu"], extra_compile_args=flags)])
# output
path: setup.py
9 build-fail: version
# fixed
--- setup.py
+++ setup.py
@@ -1,11 +1,11 @@
 from setuptools import setup
-from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension
+from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension, IS_HIP_EXTENSION
 
 from versions import toolkit_version
 
 flags = []
 if CUDA_HOME is not None:
     _, version = toolkit_version(CUDA_HOME)
-if version >= (11, 8):
+if not IS_HIP_EXTENSION and version >= (11, 8):
     flags.append("-DNEW")
 setup(name="ops", ext_modules=[CUDAExtension("ops", ["ops.cu"], extra_compile_args=flags)])
