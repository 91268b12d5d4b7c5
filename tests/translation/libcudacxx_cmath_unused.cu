#include <cuda/cmath>

__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <cmath>

__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
// ---- findings ----
// 1 noted cuda/cmath
