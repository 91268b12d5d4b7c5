// fix: unsafe, whole waves
constexpr int kWarpSize = 32;
constexpr unsigned kFullMask = 0xffffffff;

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(kFullMask, v, offset);
  return v;
}

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float partial[32];
  int lane = threadIdx.x & 31;
  int warp = threadIdx.x >> 5;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = warp_sum(i < n ? in[i] : 0);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / kWarpSize ? partial[lane] : 0;
  if (warp == 0) v = warp_sum(v);
  if (threadIdx.x == 0) atomicAdd(out, v);
}
// output
// fix: unsafe, whole waves
#include "rewarp_waves.h"
constexpr int kWarpSize = REWARP_WAVE_SIZE(32);
constexpr REWARP_WAVE_BITS(unsigned) kFullMask = REWARP_WAVE_ALL(0xffffffff);

__device__ float warp_sum(float v) {
  for (int offset = REWARP_WAVE_HALF(16); offset > 0; offset >>= 1) v += rewarp_wave_shfl_down_sync(kFullMask, v, offset);
  return v;
}

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float partial[REWARP_WAVE_MOST(32)];
  int lane = threadIdx.x & REWARP_WAVE_LAST(31);
  int warp = threadIdx.x >> REWARP_WAVE_LOG2(5);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = warp_sum(i < n ? in[i] : 0);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / kWarpSize ? partial[lane] : 0;
  if (warp == 0) v = warp_sum(v);
  if (threadIdx.x == 0) atomicAdd(out, v);
}
