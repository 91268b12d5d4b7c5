// fix: unsafe, whole waves
#include <cub/cub.cuh>

__global__ void sums(const float* in, float* out) {
  __shared__ cub::WarpReduce<float>::TempStorage storage[4];
  float v = cub::WarpReduce<float>(storage[threadIdx.x / 32]).Sum(in[threadIdx.x]);
  if (__ballot_sync(0xffffffff, v > 0) == 0xffffffff && threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
}
// output
// fix: unsafe, whole waves
#include <cub/cub.cuh>
#include "rewarp_waves.h"

__global__ void sums(const float* in, float* out) {
  __shared__ cub::WarpReduce<float>::TempStorage storage[4];
  float v = cub::WarpReduce<float>(storage[threadIdx.x / REWARP_WAVE_SIZE(32)]).Sum(in[threadIdx.x]);
  if (rewarp_wave_ballot_sync(REWARP_WAVE_ALL(0xffffffff), v > 0) == REWARP_WAVE_ALL(0xffffffff) && threadIdx.x % REWARP_WAVE_SIZE(32) == 0) out[threadIdx.x / REWARP_WAVE_SIZE(32)] = v;
}
