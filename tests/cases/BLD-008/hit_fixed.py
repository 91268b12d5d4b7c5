import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

flags = ["-O3", "-I/usr/local/cuda/include"]
extension = CUDAExtension("ops", ["ops.cu"], extra_compile_args=flags)
setup(name="ops", ext_modules=[extension], cmdclass={"build_ext": BuildExtension})
# output
path: setup.py
5 build-fail: "-I/usr/local/cuda/include"
# fixed
--- setup.py
+++ setup.py
@@ -2,6 +2,8 @@
 from setuptools import setup
 from torch.utils.cpp_extension import BuildExtension, CUDAExtension
 
-flags = ["-O3", "-I/usr/local/cuda/include"]
+IS_ROCM = torch.version.hip is not None
+
+flags = ["-O3", *([] if IS_ROCM else ["-I/usr/local/cuda/include"])]
 extension = CUDAExtension("ops", ["ops.cu"], extra_compile_args=flags)
 setup(name="ops", ext_modules=[extension], cmdclass={"build_ext": BuildExtension})
