__device__ float warp_sum(float value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down(value, offset);
  return __shfl(value, 0);
}

__global__ void kernel(float* x, unsigned* votes) {
  x[threadIdx.x] = warp_sum(x[threadIdx.x]);
  votes[0] = __ballot(x[threadIdx.x] > 0);
  votes[1] = __popc(__ballot(1)) + __any(1) + __all(1);
}
// ---- HIP ----
#include "rewarp_hip.h"
__device__ float warp_sum(float value) {
  for (int offset = rewarp_warp_size / 2; offset > 0; offset /= 2) value += rewarp_shfl_down(value, offset);
  return rewarp_shfl(value, 0);
}

__global__ void kernel(float* x, unsigned* votes) {
  x[threadIdx.x] = warp_sum(x[threadIdx.x]);
  votes[0] = rewarp_ballot(x[threadIdx.x] > 0);
  votes[1] = __popc(rewarp_ballot(1)) + rewarp_any(1) + rewarp_all(1);
}
