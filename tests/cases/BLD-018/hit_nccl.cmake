find_package(NCCL REQUIRED)
# output
1 build-fail: find_package(NCCL REQUIRED)
# fixed
--- hit_nccl.cmake
+++ hit_nccl.cmake
@@ -1 +1,5 @@
-find_package(NCCL REQUIRED)
+if(USE_HIP)
+  find_package(rccl REQUIRED)
+else()
+  find_package(NCCL REQUIRED)
+endif()
