// compile: no, HIP has no such members
#include <cooperative_groups.h>

__global__ void where(unsigned *out) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  out[0] = grid.num_blocks() + grid.size();
  out[1] = grid.block_rank();
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

__global__ void where(unsigned *out) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  out[0] = grid.num_blocks() + grid.size();
  out[1] = grid.block_rank();
}
// ---- findings ----
// 5 unsupported num_blocks
// 6 unsupported block_rank
