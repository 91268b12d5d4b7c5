__global__ void which(int* out) { out[threadIdx.x] = threadIdx.x / warpSize; }
// ---- HIP ----
#include <hip/hip_runtime.h>
__global__ void which(int* out) { out[threadIdx.x] = threadIdx.x / warpSize; }
// ---- findings ----
// 1 noted warpSize
