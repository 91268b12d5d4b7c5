project(kernels CXX CUDA)
add_compile_options(--expt-relaxed-constexpr)
set(GPU_OPTIONS --use_fast_math)
string(APPEND CMAKE_CUDA_FLAGS_RELEASE " --use_fast_math")
# output
2 build-fail: --expt-relaxed-constexpr
3 build-fail: --use_fast_math
4 info: " --use_fast_math"
# fixed
--- hit_every_language.cmake
+++ hit_every_language.cmake
@@ -1,4 +1,10 @@
-project(kernels CXX CUDA)
-add_compile_options(--expt-relaxed-constexpr)
+if(USE_HIP)
+  project(kernels CXX HIP)
+else()
+  project(kernels CXX CUDA)
+endif()
+if(NOT USE_HIP)
+  add_compile_options(--expt-relaxed-constexpr)
+endif()
 set(GPU_OPTIONS --use_fast_math)
 string(APPEND CMAKE_CUDA_FLAGS_RELEASE " --use_fast_math")
