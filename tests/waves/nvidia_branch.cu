// fix: safe
__device__ float sum(float v) {
  for (int d = 16; d > 0; d /= 2) {
#if defined(__HIP_PLATFORM_AMD__)
    v += __shfl_xor(v, d, 32);
#else
    v += __shfl_xor_sync(0xffffffff, v, d);
#endif
  }
  return v;
}
__device__ unsigned votes(bool p) { return __ballot_sync(0xffffffff, p); }
// output
// fix: safe
#include "rewarp_waves.h"
__device__ float sum(float v) {
  for (int d = 16; d > 0; d /= 2) {
#if defined(__HIP_PLATFORM_AMD__)
    v += __shfl_xor(v, d, 32);
#else
    v += __shfl_xor_sync(0xffffffff, v, d);
#endif
  }
  return v;
}
__device__ unsigned votes(bool p) { return rewarp_warp32_ballot_sync(0xffffffff, p); }
