find_package(CUDAToolkit REQUIRED)
target_link_libraries(app PRIVATE CUDA::cudart CUDA::cublas_static CUDA::nvtx3)
target_link_libraries(app PRIVATE cudart -lcublasLt m)
set(LIBS "CUDA::cusparse;CUDA::nvrtc")
# output
2 build-fail: CUDA::cudart
2 build-fail: CUDA::cublas_static
2 build-fail: CUDA::nvtx3
3 build-fail: cudart
3 build-fail: -lcublasLt
4 build-fail: "CUDA::cusparse;CUDA::nvrtc"
4 build-fail: "CUDA::cusparse;CUDA::nvrtc"
# fixed
--- hit_targets.cmake
+++ hit_targets.cmake
@@ -1,4 +1,37 @@
-find_package(CUDAToolkit REQUIRED)
+if(USE_HIP)
+  find_package(hip REQUIRED)
+  find_package(hipblas REQUIRED)
+  find_package(hipblaslt REQUIRED)
+  find_package(hiprtc REQUIRED)
+  find_package(hipsparse REQUIRED)
+  # What the files link by CUDA's names is ROCm's.
+  if(NOT TARGET CUDA::cublas_static)
+    add_library(CUDA::cublas_static INTERFACE IMPORTED)
+    target_link_libraries(CUDA::cublas_static INTERFACE roc::hipblas)
+  endif()
+  if(NOT TARGET CUDA::cudart)
+    add_library(CUDA::cudart INTERFACE IMPORTED)
+    target_link_libraries(CUDA::cudart INTERFACE hip::host)
+  endif()
+  if(NOT TARGET CUDA::cusparse)
+    add_library(CUDA::cusparse INTERFACE IMPORTED)
+    target_link_libraries(CUDA::cusparse INTERFACE roc::hipsparse)
+  endif()
+  if(NOT TARGET CUDA::nvrtc)
+    add_library(CUDA::nvrtc INTERFACE IMPORTED)
+    target_link_libraries(CUDA::nvrtc INTERFACE hiprtc::hiprtc)
+  endif()
+  if(NOT TARGET CUDA::nvtx3)
+    add_library(CUDA::nvtx3 INTERFACE IMPORTED)
+    target_link_libraries(CUDA::nvtx3 INTERFACE roctx64)
+  endif()
+else()
+  find_package(CUDAToolkit REQUIRED)
+endif()
 target_link_libraries(app PRIVATE CUDA::cudart CUDA::cublas_static CUDA::nvtx3)
-target_link_libraries(app PRIVATE cudart -lcublasLt m)
+if(USE_HIP)
+  target_link_libraries(app PRIVATE hip::host roc::hipblaslt m)
+else()
+  target_link_libraries(app PRIVATE cudart -lcublasLt m)
+endif()
 set(LIBS "CUDA::cusparse;CUDA::nvrtc")
