// compile: no, HIP has no tiles of several waves
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
#define TILE 128
#define SMALL 16

__global__ void kernel(int* x) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto small = cg::tiled_partition<SMALL>(block);
  auto large = cg::tiled_partition<256>(block);
  cg::thread_block_tile<TILE, cg::thread_block> tile = cg::tiled_partition<TILE>(block);
  x[0] = warp.size() + small.size() + large.size() + tile.size();
}

template <int N>
__device__ auto part(cg::thread_block block) {
  return cg::tiled_partition<N>(block);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;
#define TILE 128
#define SMALL 16

__global__ void kernel(int* x) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto small = cg::tiled_partition<SMALL>(block);
  auto large = cg::tiled_partition<256>(block);
  cg::thread_block_tile<TILE, cg::thread_block> tile = cg::tiled_partition<TILE>(block);
  x[0] = warp.size() + small.size() + large.size() + tile.size();
}

template <int N>
__device__ auto part(cg::thread_block block) {
  return cg::tiled_partition<N>(block);
}
// ---- findings ----
// 11 unsupported tiled_partition
// 12 unsupported tiled_partition
// 12 unsupported tiled_partition
