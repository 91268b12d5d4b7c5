from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

sources = ["ext.cpp"]
extension = CppExtension
if CUDA_HOME is not None:
    sources.append("kernel.cu")
    extension = CUDAExtension
setup(name="ext", ext_modules=[extension("ext._C", sources)], cmdclass={"build_ext": BuildExtension})
# output
path: setup.py
6 crash: CUDA_HOME is not None
# fixed
--- setup.py
+++ setup.py
@@ -1,9 +1,9 @@
 from setuptools import setup
-from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension
+from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension, IS_HIP_EXTENSION
 
 sources = ["ext.cpp"]
 extension = CppExtension
-if CUDA_HOME is not None:
+if IS_HIP_EXTENSION or CUDA_HOME is not None:
     sources.append("kernel.cu")
     extension = CUDAExtension
 setup(name="ext", ext_modules=[extension("ext._C", sources)], cmdclass={"build_ext": BuildExtension})
