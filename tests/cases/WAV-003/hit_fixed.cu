#include <cuda_runtime.h>

__global__ void work(float *x) {
  int lane = threadIdx.x % 32;
  float v = __shfl_sync(0xffffffff, x[threadIdx.x], 0);
  if (lane == 0) x[threadIdx.x / 32] = v;
}

int main() {
  float *x;
  cudaMalloc(&x, 4096);
  work<<<1, 256>>>(x);
  cudaDeviceSynchronize();
  return 0;
}
# output
4 info: threadIdx.x % 32
6 info: threadIdx.x / 32
# fixed
--- hit_fixed.cu
+++ hit_fixed.hip
@@ -1,15 +1,16 @@
-#include <cuda_runtime.h>
+#include <hip/hip_runtime.h>
+#include "rewarp_waves.h"
 
 __global__ void work(float *x) {
   int lane = threadIdx.x % 32;
-  float v = __shfl_sync(0xffffffff, x[threadIdx.x], 0);
+  float v = rewarp_warp32_shfl_sync(0xffffffff, x[threadIdx.x], 0);
   if (lane == 0) x[threadIdx.x / 32] = v;
 }
 
 int main() {
   float *x;
-  cudaMalloc(&x, 4096);
+  hipMalloc(&x, 4096);
   work<<<1, 256>>>(x);
-  cudaDeviceSynchronize();
+  hipDeviceSynchronize();
   return 0;
 }
