from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

cc = 80
nvcc_flags = ["-O3", "-gencode", "arch=compute_80,code=sm_80", f"-gencode=arch=compute_{cc},code=sm_{cc}"]
setup(
    name="ops",
    ext_modules=[
        CUDAExtension("ops", ["a.cu"], extra_compile_args={"cxx": ["-O3"], "nvcc": nvcc_flags + ["-arch=sm_90"]})
    ],
    cmdclass={"build_ext": BuildExtension},
)
# output
path: setup.py
5 build-fail: "-gencode"
5 build-fail: f"-gencode=arch=compute_{cc},code=sm_{cc}"
9 build-fail: "-arch=sm_90"
# fixed
--- setup.py
+++ setup.py
@@ -1,12 +1,12 @@
 from setuptools import setup
-from torch.utils.cpp_extension import BuildExtension, CUDAExtension
+from torch.utils.cpp_extension import BuildExtension, CUDAExtension, IS_HIP_EXTENSION
 
 cc = 80
-nvcc_flags = ["-O3", "-gencode", "arch=compute_80,code=sm_80", f"-gencode=arch=compute_{cc},code=sm_{cc}"]
+nvcc_flags = ["-O3", *([] if IS_HIP_EXTENSION else ["-gencode", "arch=compute_80,code=sm_80", f"-gencode=arch=compute_{cc},code=sm_{cc}"])]
 setup(
     name="ops",
     ext_modules=[
-        CUDAExtension("ops", ["a.cu"], extra_compile_args={"cxx": ["-O3"], "nvcc": nvcc_flags + ["-arch=sm_90"]})
+        CUDAExtension("ops", ["a.cu"], extra_compile_args={"cxx": ["-O3"], "nvcc": nvcc_flags + ([] if IS_HIP_EXTENSION else ["-arch=sm_90"])})
     ],
     cmdclass={"build_ext": BuildExtension},
 )
