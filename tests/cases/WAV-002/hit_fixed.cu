#include <cuda_runtime.h>

__global__ void work(float *x) {
  unsigned votes = __ballot_sync(0xffffffff, x[threadIdx.x] > 0.f);
  x[threadIdx.x] = __popc(votes);
}

int main() {
  float *x;
  cudaMalloc(&x, 4096);
  work<<<1, 256>>>(x);
  cudaDeviceSynchronize();
  return 0;
}
# output
4 wrong-result: unsigned votes
5 wrong-result: __popc(votes
# fixed
--- hit_fixed.cu
+++ hit_fixed.hip
@@ -1,14 +1,15 @@
-#include <cuda_runtime.h>
+#include <hip/hip_runtime.h>
+#include "rewarp_waves.h"
 
 __global__ void work(float *x) {
-  unsigned votes = __ballot_sync(0xffffffff, x[threadIdx.x] > 0.f);
+  unsigned votes = rewarp_warp32_ballot_sync(0xffffffff, x[threadIdx.x] > 0.f);
   x[threadIdx.x] = __popc(votes);
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
