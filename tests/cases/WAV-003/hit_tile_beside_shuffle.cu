#include <cooperative_groups.h>
__global__ void mixed(float *x) {
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  int lane = threadIdx.x % 32;
  x[lane] = __shfl_down(tile.shfl(x[lane], 0), 1);
}
# output
4 wrong-result: threadIdx.x % 32
