project(kernels CXX)
enable_language(CUDA)
if(USE_GPU)
  find_package(CUDA 11 REQUIRED)
endif()
# output
2 build-fail: enable_language(CUDA)
4 build-fail: find_package(CUDA 11 REQUIRED)
# fixed
--- hit_language.cmake
+++ hit_language.cmake
@@ -1,5 +1,13 @@
 project(kernels CXX)
-enable_language(CUDA)
+if(USE_HIP)
+  enable_language(HIP)
+else()
+  enable_language(CUDA)
+endif()
 if(USE_GPU)
-  find_package(CUDA 11 REQUIRED)
+  if(USE_HIP)
+    find_package(hip REQUIRED)
+  else()
+    find_package(CUDA 11 REQUIRED)
+  endif()
 endif()
