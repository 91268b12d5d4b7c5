// fix: unsafe, whole waves
template <typename T>
__device__ T total(T v, unsigned mask = 0xffffffff) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d);
  return v;
}
__device__ int votes(bool p, unsigned int mask) { return __popc(__ballot_sync(mask, p)); }
__global__ void sums(float* out) {
  float v = total(out[threadIdx.x]);
  v += total(v, 0xffffffffu) + votes(v > 0, 0xffffffff);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
// output
// fix: unsafe, whole waves
#include "rewarp_waves.h"
template <typename T>
__device__ T total(T v, REWARP_WAVE_BITS(unsigned) mask = REWARP_WAVE_ALL(0xffffffff)) {
  for (int d = REWARP_WAVE_HALF(16); d > 0; d /= 2) v += rewarp_wave_shfl_xor_sync(mask, v, d);
  return v;
}
__device__ int votes(bool p, REWARP_WAVE_BITS(unsigned int) mask) { return rewarp_wave_popc(rewarp_wave_ballot_sync(mask, p)); }
__global__ void sums(float* out) {
  float v = total(out[threadIdx.x]);
  v += total(v, REWARP_WAVE_ALL(0xffffffffu)) + votes(v > 0, REWARP_WAVE_ALL(0xffffffff));
  if (threadIdx.x % REWARP_WAVE_SIZE(32) == 0) atomicAdd(out, v);
}
