#include <cooperative_groups.h>
#include "cuda/kernels.cuh"
namespace cg = cooperative_groups;

__global__ void step() {
  cg::grid_group grid = cg::this_grid();
  grid.sync();
  auto lanes = cg::coalesced_threads();
  lanes.shfl(1, 0); // cg::reduce(tile, 1)
}
# output
