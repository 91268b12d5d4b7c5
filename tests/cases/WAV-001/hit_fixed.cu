#include <cuda_runtime.h>

__global__ void work(float *x) {
  float v = x[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  if (threadIdx.x % 32 == 0) x[threadIdx.x / 32] = v;
}

int main() {
  float *x;
  cudaMalloc(&x, 4096);
  work<<<1, 256>>>(x);
  cudaDeviceSynchronize();
  return 0;
}
# output
5 build-fail: __shfl_down_sync(0xffffffff
# fixed
--- hit_fixed.cu
+++ hit_fixed.hip
@@ -1,15 +1,16 @@
-#include <cuda_runtime.h>
+#include <hip/hip_runtime.h>
+#include "rewarp_waves.h"
 
 __global__ void work(float *x) {
   float v = x[threadIdx.x];
-  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
+  for (int offset = 16; offset > 0; offset /= 2) v += rewarp_warp32_shfl_down_sync(0xffffffff, v, offset);
   if (threadIdx.x % 32 == 0) x[threadIdx.x / 32] = v;
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
