import os

from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

extension, sources = CppExtension, ["ext.cpp"]
if CUDA_HOME is not None and os.getenv("WITHOUT_GPU", "0") == "0":
    extension = CUDAExtension
    sources.append("kernel.cu")
setup(name="ext", ext_modules=[extension("ext._C", sources)], cmdclass={"build_ext": BuildExtension})
# output
path: setup.py
7 crash: CUDA_HOME is not None and os.getenv("WITHOUT_GPU", "0") == "0"
# fixed
--- setup.py
+++ setup.py
@@ -1,10 +1,10 @@
 import os
 
 from setuptools import setup
-from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension
+from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension, IS_HIP_EXTENSION
 
 extension, sources = CppExtension, ["ext.cpp"]
-if CUDA_HOME is not None and os.getenv("WITHOUT_GPU", "0") == "0":
+if (IS_HIP_EXTENSION or CUDA_HOME is not None) and os.getenv("WITHOUT_GPU", "0") == "0":
     extension = CUDAExtension
     sources.append("kernel.cu")
 setup(name="ext", ext_modules=[extension("ext._C", sources)], cmdclass={"build_ext": BuildExtension})
