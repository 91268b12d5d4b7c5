from torch.utils.cpp_extension import COMMON_NVCC_FLAGS

for flag in ("-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__"):
    try:
        COMMON_NVCC_FLAGS.remove(flag)
    except ValueError:
        pass
# output
path: setup.py
5 build-fail: COMMON_NVCC_FLAGS.remove(flag)
# fixed
--- setup.py
+++ setup.py
@@ -1,7 +1,8 @@
-from torch.utils.cpp_extension import COMMON_NVCC_FLAGS
+from torch.utils.cpp_extension import COMMON_NVCC_FLAGS, IS_HIP_EXTENSION
 
 for flag in ("-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__"):
     try:
-        COMMON_NVCC_FLAGS.remove(flag)
+        if not IS_HIP_EXTENSION:
+            COMMON_NVCC_FLAGS.remove(flag)
     except ValueError:
         pass
