// fix: safe
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) __shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
#define VOTE(P) \
  __ballot_sync(0xffffffff, P)

__global__ void total(const float* in, float* out, int* votes) {
  float v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  unsigned lanes = VOTE(v > 0);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v), atomicAdd(votes, __popc(lanes));
}
// output
// fix: safe
#include "rewarp_waves.h"
#if defined(__HIP_PLATFORM_AMD__)
#define SHFL_DOWN(V, D) rewarp_warp32_shfl_down(V, D)
#else
#define SHFL_DOWN(V, D) __shfl_down_sync(0xffffffff, V, D)
#endif
#define VOTE(P) \
  rewarp_warp32_ballot_sync(0xffffffff, P)

__global__ void total(const float* in, float* out, int* votes) {
  float v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += SHFL_DOWN(v, d);
  unsigned lanes = VOTE(v > 0);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v), atomicAdd(votes, __popc(lanes));
}
