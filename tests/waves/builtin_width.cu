// fix: safe
struct Properties { int warpSize; };
__global__ void rows(const float* in, float* out, int n) {
  const int lane = threadIdx.x % warpSize;
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  float v = 0;
  for (int i = lane; i < n; i += warpSize) v += in[row * n + i];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_xor_sync(0xffffffff, v, offset, warpSize);
  if (lane == 0) out[row] = v;
}
int blocks(const Properties& device, int rows, int threads) { return rows / (threads / device.warpSize); }
// output
// fix: safe
#include "rewarp_waves.h"
struct Properties { int warpSize; };
__global__ void rows(const float* in, float* out, int n) {
  const int lane = threadIdx.x % rewarp_warp32_lanes;
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / rewarp_warp32_lanes;
  float v = 0;
  for (int i = lane; i < n; i += rewarp_warp32_lanes) v += in[row * n + i];
  for (int offset = rewarp_warp32_lanes / 2; offset > 0; offset /= 2) v += rewarp_warp32_shfl_xor_sync(0xffffffff, v, offset, rewarp_warp32_lanes);
  if (lane == 0) out[row] = v;
}
int blocks(const Properties& device, int rows, int threads) { return rows / (threads / rewarp_warp32_width(device.warpSize)); }
