#include <cooperative_groups.h>

namespace cg = cooperative_groups;

struct Pool {
  __device__ int num_threads() const { return 4; }
};

__device__ int whole(cg::thread_block block) { return block.num_threads(); }

__device__ int part(const cg::thread_group &group) { return group.num_threads(); }

__global__ void sizes(int *out, Pool pool) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  auto quarter = cg::tiled_partition<16>(block);
  out[0] = tile.num_threads() + quarter.num_threads() + pool.num_threads();
  out[1] = block.dim_threads().x + whole(block) + part(block);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

struct Pool {
  __device__ int num_threads() const { return 4; }
};

__device__ int whole(cg::thread_block block) { return block.size(); }

__device__ int part(const cg::thread_group &group) { return group.size(); }

__global__ void sizes(int *out, Pool pool) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  auto quarter = cg::tiled_partition<16>(block);
  out[0] = tile.size() + quarter.size() + pool.num_threads();
  out[1] = block.group_dim().x + whole(block) + part(block);
}
