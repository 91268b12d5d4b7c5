project(kernels CXX CUDA)
set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -gencode arch=compute_80,code=sm_80 --use_fast_math")
string(APPEND CMAKE_CUDA_FLAGS " -lineinfo")
list(APPEND CUDA_NVCC_FLAGS -Xptxas -v)
target_compile_options(kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr --threads=4>)
# output
2 build-fail: "${CMAKE_CUDA_FLAGS} -gencode arch=compute_80,code=sm_80 --use_fast_math"
3 info: " -lineinfo"
4 build-fail: -Xptxas
5 build-fail: $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr
5 build-fail: --threads=4>
# fixed
--- hit_flags.cmake
+++ hit_flags.cmake
@@ -1,5 +1,12 @@
-project(kernels CXX CUDA)
+if(USE_HIP)
+  project(kernels CXX HIP)
+else()
+  project(kernels CXX CUDA)
+endif()
 set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -gencode arch=compute_80,code=sm_80 --use_fast_math")
+if(USE_HIP)
+  set(CMAKE_HIP_FLAGS "${CMAKE_HIP_FLAGS} -ffast-math")
+endif()
 string(APPEND CMAKE_CUDA_FLAGS " -lineinfo")
 list(APPEND CUDA_NVCC_FLAGS -Xptxas -v)
 target_compile_options(kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr --threads=4>)
