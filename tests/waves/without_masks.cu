// fix: safe
__device__ int scan(int v) {
  int lane = threadIdx.x & 0x1f;
  for (int d = 1; d < 32; d *= 2) {
    int below = __shfl_up(v, d);
    if (lane >= d) v += below;
  }
  return __shfl(v, 31);
}
__device__ int already_right(int v) { return __shfl_xor(v, 1, 32); }
__device__ bool any_of(bool p) { return __any(p) && __all(p || __popc(__ballot(p)) == 32); }
// output
// fix: safe
#include "rewarp_waves.h"
__device__ int scan(int v) {
  int lane = threadIdx.x & 0x1f;
  for (int d = 1; d < 32; d *= 2) {
    int below = rewarp_warp32_shfl_up(v, d);
    if (lane >= d) v += below;
  }
  return rewarp_warp32_shfl(v, 31);
}
__device__ int already_right(int v) { return __shfl_xor(v, 1, 32); }
__device__ bool any_of(bool p) { return rewarp_warp32_any(p) && rewarp_warp32_all(p || __popc(rewarp_warp32_ballot(p)) == 32); }
