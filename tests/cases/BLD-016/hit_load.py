import torch.utils.cpp_extension as cpp

extra_cuda_cflags = ["-O3", "-lineinfo"]
extra_cuda_cflags += ["--expt-relaxed-constexpr"]
ops = cpp.load("ops", ["ops.cpp", "ops.cu"], extra_cuda_cflags=extra_cuda_cflags)
# output
3 info: "-lineinfo"
4 build-fail: "--expt-relaxed-constexpr"
5 works-as-is: cpp.load
# fixed
--- hit_load.py
+++ hit_load.py
@@ -1,5 +1,6 @@
 import torch.utils.cpp_extension as cpp
+from torch import version as torch_version
 
 extra_cuda_cflags = ["-O3", "-lineinfo"]
-extra_cuda_cflags += ["--expt-relaxed-constexpr"]
+extra_cuda_cflags += [] if torch_version.hip is not None else ["--expt-relaxed-constexpr"]
 ops = cpp.load("ops", ["ops.cpp", "ops.cu"], extra_cuda_cflags=extra_cuda_cflags)
