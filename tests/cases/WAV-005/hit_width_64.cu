#include <cuda_runtime.h>

constexpr int kWave = 64;
#define LANES 64

__device__ float named(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down(v, offset, kWave);
  return v;
}

__device__ float defined(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor(v, offset, LANES);
  return v;
}

__device__ float written(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down(v, offset, 64);
  return v;
}
# output
7 wrong-result: for (int offset = 16; offset > 0; offset >>= 1)
17 wrong-result: for (int offset = 16; offset > 0; offset >>= 1)
# fixed
--- hit_width_64.cu
+++ hit_width_64.hip
@@ -1,19 +1,20 @@
-#include <cuda_runtime.h>
+#include "rewarp_hip.h"
+#include <hip/hip_runtime.h>
 
 constexpr int kWave = 64;
 #define LANES 64
 
 __device__ float named(float v) {
-  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down(v, offset, kWave);
+  for (int offset = 16; offset > 0; offset >>= 1) v += rewarp_shfl_down(v, offset, kWave);
   return v;
 }
 
 __device__ float defined(float v) {
-  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor(v, offset, LANES);
+  for (int offset = 16; offset > 0; offset /= 2) v += rewarp_shfl_xor(v, offset, LANES);
   return v;
 }
 
 __device__ float written(float v) {
-  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down(v, offset, 64);
+  for (int offset = 16; offset > 0; offset >>= 1) v += rewarp_shfl_down(v, offset, 64);
   return v;
 }
