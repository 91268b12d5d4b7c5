#include <cuda_runtime.h>

void wait() { cudaDeviceSynchronize(); }
# output
3 build-fail: cudaDeviceSynchronize
# fixed
--- hit_header_just_above.cu
+++ hit_header_just_above.hip
@@ -1,3 +1,3 @@
-#include <cuda_runtime.h>
+#include <hip/hip_runtime.h>
 
-void wait() { cudaDeviceSynchronize(); }
+void wait() { hipDeviceSynchronize(); }
