#if __CUDA_ARCH__ >= 800
__global__ void copy(__nv_bfloat16 *x) { *x = *x; }
#endif
# output
2 info: __nv_bfloat16
# fixed
--- /dev/null
+++ hit_behind_arch.hip
@@ -0,0 +1,4 @@
+#include <hip/hip_runtime.h>
+#if defined(__HIP_DEVICE_COMPILE__) /* __CUDA_ARCH__ >= 800 */
+__global__ void copy(__hip_bfloat16 *x) { *x = *x; }
+#endif
