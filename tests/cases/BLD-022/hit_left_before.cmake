find_package(CUDA 7.0 QUIET)
function(libs)
  if(NOT CUDA_FOUND)
    return()
  endif()
  target_link_libraries(inner ${CUDA_LIBRARIES})
endfunction()
target_link_libraries(outer CUDA::cublas)
if(NOT CUDA_FOUND)
  set(HAVE_CUDA FALSE)
  return()
endif()
find_library(NVRTC_LIB nvrtc)
target_link_libraries(app ${CUDA_curand_LIBRARY})
# output
6 info: ${CUDA_LIBRARIES}
8 build-fail: CUDA::cublas
13 info: nvrtc
14 info: ${CUDA_curand_LIBRARY}
# fixed
--- hit_left_before.cmake
+++ hit_left_before.cmake
@@ -1,4 +1,19 @@
-find_package(CUDA 7.0 QUIET)
+if(USE_HIP)
+  enable_language(HIP)
+  find_package(hip REQUIRED)
+  find_package(hipblas REQUIRED)
+  find_package(hiprand REQUIRED)
+  # What the files link by CUDA's names is ROCm's.
+  if(NOT TARGET CUDA::cublas)
+    add_library(CUDA::cublas INTERFACE IMPORTED)
+    target_link_libraries(CUDA::cublas INTERFACE roc::hipblas)
+  endif()
+  set(CUDA_LIBRARIES hip::host)
+  set(CUDA_curand_LIBRARY hip::hiprand)
+  set(CUDA_FOUND TRUE)  # HIP takes the place of CUDA
+else()
+  find_package(CUDA 7.0 QUIET)
+endif()
 function(libs)
   if(NOT CUDA_FOUND)
     return()
