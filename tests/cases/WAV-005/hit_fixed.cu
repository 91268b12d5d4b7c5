#include <cuda_runtime.h>

__global__ void work(float *x) {
  float v = x[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffff, v, offset);
  x[threadIdx.x] = v;
}

int main() {
  float *x;
  cudaMalloc(&x, 4096);
  work<<<1, 256>>>(x);
  cudaDeviceSynchronize();
  return 0;
}
# output
5 info: for (int offset = 16; offset > 0; offset >>= 1)
# fixed
--- hit_fixed.cu
+++ hit_fixed.hip
@@ -1,15 +1,16 @@
-#include <cuda_runtime.h>
+#include <hip/hip_runtime.h>
+#include "rewarp_waves.h"
 
 __global__ void work(float *x) {
   float v = x[threadIdx.x];
-  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffff, v, offset);
+  for (int offset = 16; offset > 0; offset >>= 1) v += rewarp_warp32_shfl_xor_sync(0xffffffff, v, offset);
   x[threadIdx.x] = v;
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
