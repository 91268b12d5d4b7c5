#include <cuda_runtime.h>

__global__ void work(float *x) {
  __shared__ float sums[256 / 32];
  float v = x[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  x[threadIdx.x] = sums[threadIdx.x / 32];
}

int main() {
  float *x;
  cudaMalloc(&x, 4096);
  work<<<1, 256>>>(x);
  cudaDeviceSynchronize();
  return 0;
}
# output
4 info: __shared__ float sums[256 / 32]
# fixed
--- hit_fixed.cu
+++ hit_fixed.hip
@@ -1,9 +1,10 @@
-#include <cuda_runtime.h>
+#include <hip/hip_runtime.h>
+#include "rewarp_waves.h"
 
 __global__ void work(float *x) {
   __shared__ float sums[256 / 32];
   float v = x[threadIdx.x];
-  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffff, v, offset);
+  for (int offset = 16; offset > 0; offset >>= 1) v += rewarp_warp32_shfl_down_sync(0xffffffff, v, offset);
   if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
   __syncthreads();
   x[threadIdx.x] = sums[threadIdx.x / 32];
@@ -11,8 +12,8 @@
 
 int main() {
   float *x;
-  cudaMalloc(&x, 4096);
+  hipMalloc(&x, 4096);
   work<<<1, 256>>>(x);
-  cudaDeviceSynchronize();
+  hipDeviceSynchronize();
   return 0;
 }
