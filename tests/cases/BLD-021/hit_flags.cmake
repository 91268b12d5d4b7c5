project(kernels CXX CUDA)
set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -gencode arch=compute_80,code=sm_80 --use_fast_math")
string(APPEND CMAKE_CUDA_FLAGS " -lineinfo")
list(APPEND CUDA_NVCC_FLAGS -Xptxas -v)
target_compile_options(kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr --threads=4>)
# output
2 info: "${CMAKE_CUDA_FLAGS} -gencode arch=compute_80,code=sm_80 --use_fast_math"
3 info: " -lineinfo"
4 info: -Xptxas
5 info: $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr
5 info: --threads=4>
# fixed
--- hit_flags.cmake
+++ hit_flags.cmake
@@ -1,4 +1,8 @@
-project(kernels CXX CUDA)
+if(USE_HIP)
+  project(kernels CXX HIP)
+else()
+  project(kernels CXX CUDA)
+endif()
 set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -gencode arch=compute_80,code=sm_80 --use_fast_math")
 string(APPEND CMAKE_CUDA_FLAGS " -lineinfo")
 list(APPEND CUDA_NVCC_FLAGS -Xptxas -v)
