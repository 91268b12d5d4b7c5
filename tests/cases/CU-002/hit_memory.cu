#define CHECK(call) do { CUresult status = (call); if (status) abort(); } while (0)

void reserve(size_t bytes) {
  CUdeviceptr base;
  CHECK(cuMemAddressReserve(&base, bytes, 0, 0, 0));
}
# output
1 build-fail: CUresult
# fixed
--- hit_memory.cu
+++ hit_memory.hip
@@ -1,6 +1,7 @@
-#define CHECK(call) do { CUresult status = (call); if (status) abort(); } while (0)
+#include <hip/hip_runtime.h>
+#define CHECK(call) do { hipError_t status = (call); if (status) abort(); } while (0)
 
 void reserve(size_t bytes) {
-  CUdeviceptr base;
-  CHECK(cuMemAddressReserve(&base, bytes, 0, 0, 0));
+  hipDeviceptr_t base;
+  CHECK(hipMemAddressReserve(&base, bytes, 0, 0, 0));
 }
