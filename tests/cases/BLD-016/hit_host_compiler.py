from torch.utils.cpp_extension import load

ops = load(
    "ops",
    sources=["ops.cpp", "ops.cu"],
    extra_cuda_cflags=["-O3", "-ccbin=/usr/bin/gcc-10", "--compiler-bindir=/usr/bin", "-Xcompiler=/W3"],
)
# output
3 works-as-is: load
6 build-fail: "-ccbin=/usr/bin/gcc-10"
6 build-fail: "--compiler-bindir=/usr/bin"
# fixed
--- hit_host_compiler.py
+++ hit_host_compiler.py
@@ -1,7 +1,7 @@
-from torch.utils.cpp_extension import load
+from torch.utils.cpp_extension import load, IS_HIP_EXTENSION
 
 ops = load(
     "ops",
     sources=["ops.cpp", "ops.cu"],
-    extra_cuda_cflags=["-O3", "-ccbin=/usr/bin/gcc-10", "--compiler-bindir=/usr/bin", "-Xcompiler=/W3"],
+    extra_cuda_cflags=["-O3", *([] if IS_HIP_EXTENSION else ["-ccbin=/usr/bin/gcc-10", "--compiler-bindir=/usr/bin"]), "-Xcompiler=/W3"],
 )
