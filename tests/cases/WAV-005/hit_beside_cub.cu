#include <cub/cub.cuh>
__global__ void sum(const float* in, float* out) {
  using Reduce = cub::WarpReduce<float>;
  __shared__ typename Reduce::TempStorage storage;
  float val = in[threadIdx.x];
  for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
    val += __shfl_down_sync(0xffffffffull, val, lane_mask);
  }
  out[threadIdx.x / 32] = Reduce(storage).Sum(val);
}
# output
6 wrong-result: for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2)
# fixed
--- hit_beside_cub.cu
+++ hit_beside_cub.hip
@@ -1,10 +1,12 @@
-#include <cub/cub.cuh>
+#include <hip/hip_runtime.h>
+#include <hipcub/hipcub.hpp>
+#include "rewarp_waves.h"
 __global__ void sum(const float* in, float* out) {
-  using Reduce = cub::WarpReduce<float>;
+  using Reduce = hipcub::WarpReduce<float REWARP_WARP32_LANES>;
   __shared__ typename Reduce::TempStorage storage;
   float val = in[threadIdx.x];
   for (int lane_mask = 16; lane_mask > 0; lane_mask /= 2) {
-    val += __shfl_down_sync(0xffffffffull, val, lane_mask);
+    val += rewarp_warp32_shfl_down_sync(0xffffffffull, val, lane_mask);
   }
   out[threadIdx.x / 32] = Reduce(storage).Sum(val);
 }
