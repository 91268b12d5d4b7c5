from torch.utils.cpp_extension import load_inline

ops = load_inline(
    name="ops",
    cpp_sources="void f();",
    cuda_sources="__global__ void k() {}",
    extra_cuda_cflags=["-O3", "--use_fast_math", "-gencode=arch=compute_80,code=sm_80"],
)
# output
3 works-as-is: load_inline
7 build-fail: "--use_fast_math"
7 build-fail: "-gencode=arch=compute_80,code=sm_80"
# fixed
--- hit_inline.py
+++ hit_inline.py
@@ -1,8 +1,8 @@
-from torch.utils.cpp_extension import load_inline
+from torch.utils.cpp_extension import load_inline, IS_HIP_EXTENSION
 
 ops = load_inline(
     name="ops",
     cpp_sources="void f();",
     cuda_sources="__global__ void k() {}",
-    extra_cuda_cflags=["-O3", "--use_fast_math", "-gencode=arch=compute_80,code=sm_80"],
+    extra_cuda_cflags=["-O3", *([] if IS_HIP_EXTENSION else ["--use_fast_math", "-gencode=arch=compute_80,code=sm_80"])],
 )
