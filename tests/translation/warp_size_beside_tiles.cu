#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sums(float* out, const float* x) {
  __shared__ float of_warps[32];
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  float sum = x[threadIdx.x];
  for (int d = warpSize / 2; d > 0; d /= 2) sum += warp.shfl_down(sum, d);
  if (threadIdx.x % warpSize == 0) of_warps[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x < blockDim.x / warpSize) out[threadIdx.x] = of_warps[threadIdx.x];
}
// ---- HIP ----
#include "rewarp_hip.h"
#include <hip/hip_cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sums(float* out, const float* x) {
  __shared__ float of_warps[32];
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  float sum = x[threadIdx.x];
  for (int d = rewarp_warp_size / 2; d > 0; d /= 2) sum += warp.shfl_down(sum, d);
  if (threadIdx.x % rewarp_warp_size == 0) of_warps[threadIdx.x / rewarp_warp_size] = sum;
  __syncthreads();
  if (threadIdx.x < blockDim.x / rewarp_warp_size) out[threadIdx.x] = of_warps[threadIdx.x];
}
