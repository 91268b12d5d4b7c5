__global__ void reduce(float *x) { x[threadIdx.x / warpSize] = __shfl_down(x[threadIdx.x], 1); }
void run(float *x, int channels, cudaStream_t stream) {
  const int num_threads = std::max(128, 32 * channels);
  LAUNCH_KERNEL(channels, num_threads, stream, reduce, x);
}
# output
3 wrong-result: num_threads = std::max(128, 32 * channels)
# fixed
--- hit_launched_by_others.cu
+++ hit_launched_by_others.hip
@@ -1,5 +1,7 @@
-__global__ void reduce(float *x) { x[threadIdx.x / warpSize] = __shfl_down(x[threadIdx.x], 1); }
-void run(float *x, int channels, cudaStream_t stream) {
+#include <hip/hip_runtime.h>
+#include "rewarp_waves.h"
+__global__ void reduce(float *x) { x[threadIdx.x / rewarp_warp32_lanes] = rewarp_warp32_shfl_down(x[threadIdx.x], 1); }
+void run(float *x, int channels, hipStream_t stream) {
   const int num_threads = std::max(128, 32 * channels);
   LAUNCH_KERNEL(channels, num_threads, stream, reduce, x);
 }
