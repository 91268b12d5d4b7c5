#include <nvml.h>

void probe(cudnnHandle_t handle) {
  nvmlInit_v2();
  cudnnSetStream(handle, nullptr);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL);
}
# output
1 build-fail: #include <nvml.h>
3 build-fail: cudnnHandle_t
6 build-fail: cuptiActivityEnable
# fixed
--- hit_not_mechanical.cpp
+++ hit_not_mechanical.cpp.hip
@@ -1,7 +1,7 @@
 #include <nvml.h>
 
-void probe(cudnnHandle_t handle) {
+void probe(miopenHandle_t handle) {
   nvmlInit_v2();
-  cudnnSetStream(handle, nullptr);
+  miopenSetStream(handle, nullptr);
   cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL);
 }
