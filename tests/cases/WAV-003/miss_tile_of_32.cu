#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void total(const float *x, float *y) {
  auto block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  __shared__ float parts[32];
  int warp_id = threadIdx.x / 32;
  int lane_id = threadIdx.x % 32;
  float v = x[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v += tile.shfl_down(v, o);
  if (lane_id == 0) parts[warp_id] = v;
  block.sync();
  if (threadIdx.x == 0) y[blockIdx.x] = parts[0];
}
# output
