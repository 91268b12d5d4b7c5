#include <hip/hip_runtime.h>
__device__ float total(float v) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_xor(v, offset);
  return v;
}
__device__ float of_64(float v) { return v + __shfl_xor(v, 32, 64); }
__device__ float tile(float* part, float v) {
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  return part[0] + __shfl(v, 0);
}
# output
