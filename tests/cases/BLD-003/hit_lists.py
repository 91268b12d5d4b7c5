from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension


def with_threads(flags):
    return flags + ["--threads", "4"]


setup(
    name="ops",
    ext_modules=[
        CUDAExtension(
            "ops",
            ["a.cu"],
            extra_compile_args={
                "cxx": ["-O3", "-fopenmp"],
                "nvcc": with_threads(["-O3", "--use_fast_math", "-lineinfo", "--ptxas-options=-v"]),
            },
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
# output
path: setup.py
17 build-fail: "--use_fast_math"
17 info: "-lineinfo"
17 build-fail: "--ptxas-options=-v"
# fixed
--- setup.py
+++ setup.py
@@ -1,5 +1,5 @@
 from setuptools import setup
-from torch.utils.cpp_extension import BuildExtension, CUDAExtension
+from torch.utils.cpp_extension import BuildExtension, CUDAExtension, IS_HIP_EXTENSION
 
 
 def with_threads(flags):
@@ -14,7 +14,7 @@
             ["a.cu"],
             extra_compile_args={
                 "cxx": ["-O3", "-fopenmp"],
-                "nvcc": with_threads(["-O3", "--use_fast_math", "-lineinfo", "--ptxas-options=-v"]),
+                "nvcc": with_threads(["-O3", *(["-gline-tables-only"] if IS_HIP_EXTENSION else ["--use_fast_math", "-lineinfo", "--ptxas-options=-v"])]),
             },
         )
     ],
