// fix: unsafe, whole waves
__global__ void compact(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  bool keep = i < n && in[i] > 0;
  unsigned votes = __ballot_sync(0xffffffff, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(votes));
  base = __shfl_sync(0xffffffff, base, 0);
  if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
}
// output
// fix: unsafe, whole waves
#include "rewarp_waves.h"
__global__ void compact(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % REWARP_WAVE_SIZE(32);
  bool keep = i < n && in[i] > 0;
  REWARP_WAVE_BITS(unsigned) votes = rewarp_wave_ballot_sync(REWARP_WAVE_ALL(0xffffffff), keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, rewarp_wave_popc(votes));
  base = rewarp_wave_shfl_sync(REWARP_WAVE_ALL(0xffffffff), base, 0);
  if (keep) out[base + rewarp_wave_popc(votes & ((REWARP_WAVE_ONE(1u) << lane) - 1))] = in[i];
}
