#include "rewarp_waves.h"
__device__ float sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += rewarp_warp32_shfl_down_sync(0xffffffff, v, o);
  return v;
}
__global__ void rows(float *x, float *parts) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float v = sum(x[threadIdx.x]);
  if (lane == 0) parts[warp] = v;
}
# output
