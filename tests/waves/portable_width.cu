// fix: unsafe
#if defined(USE_ROCM) && defined(__GFX9__)
#define WARP_SIZE 64
#else
#define WARP_SIZE 32
#endif
__global__ void count(const int* in, int* out) {
  unsigned votes = __ballot_sync(0xffffffff, in[threadIdx.x]);
  if (threadIdx.x % WARP_SIZE == 0) atomicAdd(out, __popc(votes));
}
// output
// fix: unsafe
#include "rewarp_waves.h"
#if defined(USE_ROCM) && defined(__GFX9__)
#define WARP_SIZE 64
#else
#define WARP_SIZE 32
#endif
__global__ void count(const int* in, int* out) {
  REWARP_WAVE_BITS(unsigned) votes = rewarp_wave_ballot_sync(REWARP_WAVE_ALL(0xffffffff), in[threadIdx.x]);
  if (threadIdx.x % WARP_SIZE == 0) atomicAdd(out, rewarp_wave_popc(votes));
}
