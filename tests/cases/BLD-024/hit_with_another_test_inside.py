import os

import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension


def extensions():
    extension = CppExtension
    sources = ["ext.cpp"]
    flags = []
    forced = os.getenv("FORCE_CUDA", "0") == "1"
    if (torch.cuda.is_available() and CUDA_HOME is not None) or forced:
        extension = CUDAExtension
        sources += ["kernel.cu"]
        version = torch.version.cuda
        if version is not None:
            flags.append("-DNEW")
    return [extension("ext._C", sources, extra_compile_args=flags)]


setup(name="ext", ext_modules=extensions(), cmdclass={"build_ext": BuildExtension})
# output
path: setup.py
13 crash: (torch.cuda.is_available() and CUDA_HOME is not None) or forced
# fixed
--- setup.py
+++ setup.py
@@ -3,6 +3,8 @@
 import torch
 from setuptools import setup
 from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension
+
+IS_ROCM = torch.version.hip is not None
 
 
 def extensions():
@@ -10,7 +12,7 @@
     sources = ["ext.cpp"]
     flags = []
     forced = os.getenv("FORCE_CUDA", "0") == "1"
-    if (torch.cuda.is_available() and CUDA_HOME is not None) or forced:
+    if (IS_ROCM or (torch.cuda.is_available() and CUDA_HOME is not None)) or forced:
         extension = CUDAExtension
         sources += ["kernel.cu"]
         version = torch.version.cuda
