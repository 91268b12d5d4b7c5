#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void sum(const float* in, float* out, int count) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  float value = 0;
  for (int i = grid.thread_rank(); i < count; i += grid.size()) value += in[i];
  value = cg::reduce(tile, value, cg::plus<float>());
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
  if (tile.thread_rank() == 0) atomicAdd(out, value);
  block.sync();
  grid.sync();
}

void launch(const float* in, float* out, int count) {
  void* arguments[] = {&in, &out, &count};
  cudaLaunchCooperativeKernel((void*)sum, dim3(4), dim3(256), arguments, 0, nullptr);
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void sum(const float* in, float* out, int count) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  float value = 0;
  for (int i = grid.thread_rank(); i < count; i += grid.size()) value += in[i];
  value = cg::reduce(tile, value, cg::plus<float>());
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
  if (tile.thread_rank() == 0) atomicAdd(out, value);
  block.sync();
  grid.sync();
}

void launch(const float* in, float* out, int count) {
  void* arguments[] = {&in, &out, &count};
  hipLaunchCooperativeKernel((void*)sum, dim3(4), dim3(256), arguments, 0, nullptr);
}
