from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

libraries = ["cublas", "m"]
libraries.append("nvrtc")
setup(
    ext_modules=[
        CUDAExtension("x", ["x.cu"], libraries=libraries),
        CUDAExtension("y", ["y.cu"], libraries=["cuda", "cufile", "pthread"]),
    ]
)
# output
path: setup.py
4 build-fail: "cublas"
5 build-fail: "nvrtc"
9 build-fail: "cuda"
9 build-fail: "cufile"
# fixed
--- setup.py
+++ setup.py
@@ -1,11 +1,11 @@
 from setuptools import setup
-from torch.utils.cpp_extension import CUDAExtension
+from torch.utils.cpp_extension import CUDAExtension, IS_HIP_EXTENSION
 
-libraries = ["cublas", "m"]
-libraries.append("nvrtc")
+libraries = ["hipblas" if IS_HIP_EXTENSION else "cublas", "m"]
+libraries.append("hiprtc" if IS_HIP_EXTENSION else "nvrtc")
 setup(
     ext_modules=[
         CUDAExtension("x", ["x.cu"], libraries=libraries),
-        CUDAExtension("y", ["y.cu"], libraries=["cuda", "cufile", "pthread"]),
+        CUDAExtension("y", ["y.cu"], libraries=[*([] if IS_HIP_EXTENSION else ["cuda", "cufile"]), "pthread"]),
     ]
 )
