__global__ void last_steps(float* out, const float* x) {
  __shared__ volatile float sums[256];
  int i = threadIdx.x;
  sums[i] = x[i];
  __syncthreads();
  for (int s = 128; s >= warpSize * 2; s /= 2) {
    if (i < s) sums[i] = sums[i] + sums[i + s];
    __syncthreads();
  }
  if (i < warpSize)
    for (int s = 32; s > 0; s /= 2) {
      sums[i] = sums[i] + sums[i + s];
      __syncwarp();
    }
  if (i == 0) *out = sums[0];
}
// ---- HIP ----
#include "rewarp_hip.h"
__global__ void last_steps(float* out, const float* x) {
  __shared__ volatile float sums[256];
  int i = threadIdx.x;
  sums[i] = x[i];
  __syncthreads();
  for (int s = 128; s >= rewarp_warp_size * 2; s /= 2) {
    if (i < s) sums[i] = sums[i] + sums[i + s];
    __syncthreads();
  }
  if (i < rewarp_warp_size)
    for (int s = 32; s > 0; s /= 2) {
      sums[i] = sums[i] + sums[i + s];
      __syncwarp();
    }
  if (i == 0) *out = sums[0];
}
