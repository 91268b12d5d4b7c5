// fix: safe
__global__ void groups(const int* keys, unsigned* peers, int* least, int* same) {
  unsigned active = __activemask();
  peers[threadIdx.x] = __match_any_sync(active, keys[threadIdx.x]);
  least[threadIdx.x] = __reduce_min_sync(active, keys[threadIdx.x]);
  int all_same = 0;
  peers[threadIdx.x] |= __match_all_sync(active, keys[threadIdx.x], &all_same);
  same[threadIdx.x] = all_same;
  __syncwarp();
}
// output
// fix: safe
#include "rewarp_waves.h"
__global__ void groups(const int* keys, unsigned* peers, int* least, int* same) {
  unsigned active = rewarp_warp32_activemask();
  peers[threadIdx.x] = rewarp_warp32_match_any_sync(active, keys[threadIdx.x]);
  least[threadIdx.x] = rewarp_warp32_reduce_min_sync(active, keys[threadIdx.x]);
  int all_same = 0;
  peers[threadIdx.x] |= rewarp_warp32_match_all_sync(active, keys[threadIdx.x], &all_same);
  same[threadIdx.x] = all_same;
  rewarp_warp32_syncwarp();
}
