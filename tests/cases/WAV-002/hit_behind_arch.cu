__global__ void kernel(int *out, bool has) {
#if __CUDA_ARCH__ >= 200
    const unsigned int votes = __ballot_sync(0xffffffffu, has);
    out[0] = __popc(votes);
#endif
}
#if __CUDA_ARCH__ < 900
__device__ int older(bool has) {
    const unsigned int votes = __ballot_sync(0xffffffffu, has);
    return __popc(votes);
}
#endif
# output
3 info: unsigned int votes
4 info: __popc(votes
9 wrong-result: unsigned int votes
10 wrong-result: __popc(votes
# fixed
--- hit_behind_arch.cu
+++ hit_behind_arch.hip
@@ -1,12 +1,14 @@
+#include <hip/hip_runtime.h>
+#include "rewarp_waves.h"
 __global__ void kernel(int *out, bool has) {
-#if __CUDA_ARCH__ >= 200
-    const unsigned int votes = __ballot_sync(0xffffffffu, has);
+#if defined(__HIP_DEVICE_COMPILE__) /* __CUDA_ARCH__ >= 200 */
+    const unsigned int votes = rewarp_warp32_ballot_sync(0xffffffffu, has);
     out[0] = __popc(votes);
 #endif
 }
-#if __CUDA_ARCH__ < 900
+#if 1 /* __CUDA_ARCH__ < 900 */
 __device__ int older(bool has) {
-    const unsigned int votes = __ballot_sync(0xffffffffu, has);
+    const unsigned int votes = rewarp_warp32_ballot_sync(0xffffffffu, has);
     return __popc(votes);
 }
 #endif
