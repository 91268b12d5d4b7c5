template <typename T> __global__ void clean(T *x) { x[threadIdx.x / warpSize] = __shfl_down(x[threadIdx.x], 1); }
void run(float *x, cudaStream_t stream) {
  GpuLaunchKernel(clean<float>, 1, 32, 0, stream, x);
  GPU_LAUNCH_KERNEL(clean<float>, dim3(1), dim3(32), 0, stream, x);
}
#define RUN(T)                                 \
  dim3 block(min(round_up(n, 32), 1024));      \
  clean<T><<<1, block>>>(x);
# output
3 wrong-result: 32
4 wrong-result: dim3(32)
7 wrong-result: block(min(round_up(n, 32), 1024))
# fixed
--- hit_launchers_and_macros.cu
+++ hit_launchers_and_macros.hip
@@ -1,5 +1,7 @@
-template <typename T> __global__ void clean(T *x) { x[threadIdx.x / warpSize] = __shfl_down(x[threadIdx.x], 1); }
-void run(float *x, cudaStream_t stream) {
+#include <hip/hip_runtime.h>
+#include "rewarp_waves.h"
+template <typename T> __global__ void clean(T *x) { x[threadIdx.x / rewarp_warp32_lanes] = rewarp_warp32_shfl_down(x[threadIdx.x], 1); }
+void run(float *x, hipStream_t stream) {
   GpuLaunchKernel(clean<float>, 1, 32, 0, stream, x);
   GPU_LAUNCH_KERNEL(clean<float>, dim3(1), dim3(32), 0, stream, x);
 }
